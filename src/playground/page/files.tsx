import { useRef, useState } from "preact/hooks";
import { useFetched } from "../../page-kit/fetched.ts";
import { Icon } from "../../page-kit/icon.tsx";
import { useNearby } from "../../page-kit/use-nearby.ts";
import type { ChatMessage, SharedFile } from "../wire.ts";
import { useServer } from "./server.ts";
import { bytes, sentence } from "./words.ts";

/** The pictures and files of one message or album. */
export function Files({ messages }: { readonly messages: readonly ChatMessage[] }) {
  const pictures = messages.filter(({ file }) => file?.kind === "photo");
  const others = messages.filter(({ file }) => file?.kind !== "photo");
  return (
    <>
      {pictures.length === 0 ? null : (
        <div class={`pictures of-${Math.min(pictures.length, 4)}`}>
          {pictures.map(({ id, file }) => (file === undefined ? null : <Picture key={id} file={file} />))}
        </div>
      )}
      {others.map(({ id, file }) => (file === undefined ? null : <FileCard key={id} file={file} />))}
    </>
  );
}

function Picture({ file }: { readonly file: SharedFile }) {
  const server = useServer();
  const [broken, setBroken] = useState(false);
  const frame = useRef<HTMLSpanElement>(null);
  const { url, trouble } = useFetched(file.url, server.file, useNearby(frame));
  if (broken || trouble !== undefined) return <FileCard file={file} />;
  const { width = 320, height = 240 } = file;
  // Its place is kept until it has come, so that nothing moves.
  if (url === undefined)
    return (
      <span ref={frame}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" />
      </span>
    );
  return (
    <a href={url} target="_blank" rel="noopener" aria-label="Open the picture">
      <img src={url} width={file.width} height={file.height} alt="" onError={() => setBroken(true)} />
    </a>
  );
}

function FileCard({ file }: { readonly file: SharedFile }) {
  const server = useServer();
  const [trouble, setTrouble] = useState<string | undefined>(undefined);
  const save = async (): Promise<void> => {
    const url = URL.createObjectURL(await server.file(file.url));
    const link = document.createElement("a");
    link.href = url;
    link.download = file.name;
    link.click();
    // The browser has begun to read it by then.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  };
  return (
    <button
      type="button"
      class="file"
      onClick={() => {
        setTrouble(undefined);
        save().catch((error: unknown) => setTrouble(sentence(error)));
      }}
    >
      <Icon name="file" />
      <span>
        <b>{file.name}</b>
        <small>{trouble ?? bytes(file.size)}</small>
      </span>
    </button>
  );
}
