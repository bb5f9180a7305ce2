import { useRef } from "preact/hooks";
import { useFetched } from "../page-kit/fetched.ts";
import { useNearby } from "../page-kit/use-nearby.ts";
import { usePage } from "./page.ts";

/** A picture of a message. A press opens it in a tab of its own. */
export function Picture({ path }: { readonly path: string }) {
  const { fetchFile } = usePage();
  const frame = useRef<HTMLSpanElement>(null);
  const { url, trouble } = useFetched(path, fetchFile, useNearby(frame));
  return (
    <span class="picture" ref={frame}>
      {url === undefined ? (
        <span class="quiet">{trouble ?? "Loading the picture…"}</span>
      ) : (
        <a href={url} target="_blank" rel="noopener noreferrer">
          <img src={url} alt="Picture" />
        </a>
      )}
    </span>
  );
}
