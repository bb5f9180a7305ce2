import { useState } from "preact/hooks";
import { Icon } from "../../page-kit/icon.tsx";
import type { ChatMessage, SharedFile } from "../wire.ts";
import { bytes } from "./words.ts";

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
  const [broken, setBroken] = useState(false);
  if (broken) return <FileCard file={file} />;
  return (
    <a href={file.url} target="_blank" rel="noopener" aria-label="Open the picture">
      <img src={file.url} width={file.width} height={file.height} alt="" onError={() => setBroken(true)} />
    </a>
  );
}

function FileCard({ file }: { readonly file: SharedFile }) {
  return (
    <a class="file" href={file.url} download={file.name}>
      <Icon name="file" />
      <span>
        <b>{file.name}</b>
        <small>{bytes(file.size)}</small>
      </span>
    </a>
  );
}
