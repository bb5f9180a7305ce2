import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PromptMode } from "../domain/wire.ts";
import { Icon } from "../page-kit/icon.tsx";
import { addImages, sends } from "./draft.ts";
import { isTouch } from "./focus.ts";
import { useDeck, usePage } from "./page.ts";
import { PICTURE_TYPES, readImages } from "./read-images.ts";
import { emptyDraft, isWorking } from "./state.ts";
import { WaitingList } from "./waiting-list.tsx";

const MODES: readonly (readonly [PromptMode, string])[] = [
  ["queue", "Wait its turn"],
  ["steer", "Say it now"],
  ["replace", "Replace the turn"],
];

/** Where one writes to a session. What is written stays with the session. */
export function Composer({ sessionId }: { readonly sessionId: string }) {
  const { deck } = usePage();
  const { text, images } = useDeck(({ drafts }) => drafts[sessionId]) ?? emptyDraft;
  const runs = useDeck(({ conversations }) => {
    const known = conversations[sessionId];
    return known !== undefined && isWorking(known);
  });
  const isOpen = useDeck(({ link }) => link === "open");
  const [mode, setMode] = useState<PromptMode>("queue");
  const box = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const isEmpty = text.trim() === "" && images.length === 0;

  useLayoutEffect(() => {
    if (box.current === null) return;
    box.current.style.height = "auto";
    box.current.style.height = `${box.current.scrollHeight}px`;
  }, [text]);

  const add = (files: Iterable<File>): void =>
    void readImages(files, deck.say).then((read) => deck.change((now) => addImages(now, sessionId, read)));
  const send = (): void => {
    deck.send(sessionId, runs && mode !== "queue" ? mode : undefined);
    setMode("queue");
    box.current?.focus();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = event.clipboardData?.files;
    if (pasted === undefined || pasted.length === 0) return;
    event.preventDefault();
    add(pasted);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <WaitingList sessionId={sessionId} />
      {images.length === 0 ? null : (
        <ul class="tray" aria-label="Pictures to send">
          {images.map(({ id, name, mimeType, data }) => (
            <li key={id}>
              <img src={`data:${mimeType};base64,${data}`} alt={name} />
              <button
                type="button"
                class="round"
                aria-label={`Take ${name} out`}
                onClick={() => deck.write(sessionId, { images: images.filter((each) => each.id !== id) })}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {runs && !isEmpty ? <ModeChoice mode={mode} onMode={setMode} /> : null}
      <div class="line">
        <button type="button" class="round" aria-label="Add pictures" onClick={() => picker.current?.click()}>
          <Icon name="attach" />
        </button>
        <input
          type="file"
          accept={PICTURE_TYPES.join(",")}
          multiple
          hidden
          ref={picker}
          onChange={({ currentTarget }) => {
            add([...(currentTarget.files ?? [])]);
            currentTarget.value = "";
            box.current?.focus();
          }}
        />
        <textarea
          ref={box}
          rows={1}
          value={text}
          placeholder={runs ? "Your next prompt" : "Prompt"}
          aria-label="Prompt"
          autofocus={!isTouch()}
          onInput={({ currentTarget }) => deck.write(sessionId, { text: currentTarget.value })}
          onKeyDown={(event) => {
            if (!sends(event, isTouch())) return;
            event.preventDefault();
            send();
          }}
          onPaste={onPaste}
        />
        {runs ? (
          <button
            type="button"
            class="round stop"
            aria-label="Stop the turn"
            title="Stop the turn"
            disabled={!isOpen}
            onClick={() => deck.stop(sessionId)}
          >
            <Icon name="stop" />
          </button>
        ) : null}
        {runs && isEmpty ? null : (
          <button type="submit" class="round send" aria-label="Send" disabled={isEmpty}>
            <Icon name="up" />
          </button>
        )}
      </div>
    </form>
  );
}

interface ModeChoiceProps {
  readonly mode: PromptMode;
  readonly onMode: (mode: PromptMode) => void;
}

/** What becomes of a prompt that is sent while a turn runs. */
function ModeChoice({ mode, onMode }: ModeChoiceProps) {
  return (
    <fieldset class="modes">
      <legend class="unseen">While a turn runs</legend>
      {MODES.map(([value, words]) => (
        <label key={value}>
          <input type="radio" name="mode" checked={mode === value} onChange={() => onMode(value)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  );
}
