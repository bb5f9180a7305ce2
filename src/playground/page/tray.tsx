import { Icon } from "../../page-kit/icon.tsx";
import type { ChosenFile } from "./draft.ts";
import { bytes } from "./words.ts";

export interface TrayProps {
  readonly files: readonly ChosenFile[];
  readonly asFiles: boolean;
  readonly onAsFiles: (asFiles: boolean) => void;
  readonly onRemove: (id: number) => void;
}

/** The files that go with the next message. */
export function Tray({ files, asFiles, onAsFiles, onRemove }: TrayProps) {
  if (files.length === 0) return null;
  return (
    <div class="tray">
      <ul aria-label="Files to send">
        {files.map(({ id, file, preview }) => (
          <li key={id} class={preview === undefined || asFiles ? "named" : ""}>
            {preview === undefined || asFiles ? (
              <span>
                <b>{file.name}</b>
                <small>{bytes(file.size)}</small>
              </span>
            ) : (
              <img src={preview} alt={file.name} />
            )}
            <button
              type="button"
              class="round"
              aria-label={`Take ${file.name} out`}
              onClick={() => onRemove(id)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {files.some(({ preview }) => preview !== undefined) ? (
        <label>
          <input
            type="checkbox"
            checked={asFiles}
            onChange={(event) => onAsFiles(event.currentTarget.checked)}
          />
          Send as files
        </label>
      ) : null}
    </div>
  );
}
