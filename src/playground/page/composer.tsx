import { clip } from "../../domain/text.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../../page-kit/icon.tsx";
import type { ChatMessage, Snapshot } from "../wire.ts";
import { CommandMenu, matchingCommands } from "./command-menu.tsx";
import { type About, messagesFor } from "./draft.ts";
import { Tray } from "./tray.tsx";
import type { ChosenFiles } from "./use-files.ts";
import { WindowBar } from "./window-bar.tsx";
import { counted } from "./words.ts";

export interface ComposerProps {
  readonly chat: Snapshot;
  readonly ahead: number;
  readonly about: About | undefined;
  readonly files: ChosenFiles;
  readonly asFiles: boolean;
  readonly onAsFiles: (asFiles: boolean) => void;
  readonly onAbout: (about: About | undefined) => void;
  /** Sends; gives false when it did not work and the text has to come back. */
  readonly onSend: (text: string) => Promise<boolean>;
}

/** Characters from which on a text is not treated as something that was typed. */
const LARGE = 20_000;

const isTouch = (): boolean => matchMedia("(pointer: coarse)").matches;

/** Where one writes. */
export function Composer({ chat, ahead, about, files, asFiles, onAsFiles, onAbout, onSend }: ComposerProps) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [menuShut, setMenuShut] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const commands = menuShut || about?.type === "edit" ? [] : matchingCommands(text, chat.commands);

  useLayoutEffect(() => {
    if (about === undefined) return;
    if (about.type === "edit") setText(about.message.text);
    box.current?.focus();
  }, [about]);
  useLayoutEffect(() => {
    if (box.current === null) return;
    box.current.style.height = "auto";
    // The height of a very long text takes long to find, and is more than there is anyway.
    box.current.style.height = text.length > LARGE ? "100dvh" : `${box.current.scrollHeight}px`;
  }, [text]);

  const write = (next: string): void => {
    setText(next);
    setChosen(0);
    if (!next.startsWith("/")) setMenuShut(false);
  };
  const leave = (): void => {
    if (about?.type === "edit") setText("");
    onAbout(undefined);
  };
  const send = (words: string): void => {
    if (words.trim() === "" && files.files.length === 0) return;
    write("");
    void onSend(words).then((worked) => {
      // What was written in the meantime counts more.
      if (!worked) setText((now) => (now === "" ? words : now));
    });
    box.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const picked = commands[chosen];
    if (picked !== undefined && onMenuKey(event, picked.command)) return event.preventDefault();
    if (event.key === "Enter" && event.shiftKey === isTouch()) {
      event.preventDefault();
      send(text);
    } else if (event.key === "Escape" && about !== undefined) {
      leave();
    } else if (event.key === "ArrowUp" && text === "" && about === undefined && files.files.length === 0) {
      const last = lastOwn(chat.messages);
      if (last === undefined) return;
      event.preventDefault();
      onAbout({ type: "edit", message: last });
    }
  };
  /** Whether the menu of commands took the key. */
  const onMenuKey = ({ key, shiftKey }: KeyboardEvent, command: string): boolean => {
    if (key === "ArrowDown" || key === "ArrowUp") {
      setChosen((chosen + (key === "ArrowDown" ? 1 : commands.length - 1)) % commands.length);
    } else if (key === "Tab" && !shiftKey) write(`/${command}`);
    else if (key === "Enter" && !shiftKey) send(`/${command}`);
    else if (key === "Escape") setMenuShut(true);
    else return false;
    return true;
  };
  const onPaste = (event: ClipboardEvent): void => {
    const { clipboardData, currentTarget: target } = event;
    const pasted = clipboardData?.files;
    if (pasted !== undefined && pasted.length > 0) {
      event.preventDefault();
      files.add(pasted);
      return;
    }
    const words = clipboardData?.getData("text/plain") ?? "";
    if (words.length < LARGE || !(target instanceof HTMLTextAreaElement)) return;
    // The browser's own way, which can be undone, takes half a minute for a megabyte.
    event.preventDefault();
    write(text.slice(0, target.selectionStart) + words + text.slice(target.selectionEnd));
  };

  const pieces = messagesFor(text);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send(text);
      }}
    >
      <OpenBurst chat={chat} ahead={ahead} />
      <CommandMenu commands={commands} chosen={chosen} onPick={(command) => send(`/${command}`)} />
      {about === undefined ? null : <AboutBar about={about} onLeave={leave} />}
      <Tray files={files.files} asFiles={asFiles} onAsFiles={onAsFiles} onRemove={files.remove} />
      {pieces > 1 ? (
        <p class="hint">
          {counted(text.length, "character")}: Telegram will cut this into {counted(pieces, "message")}.
        </p>
      ) : null}
      <div class="line">
        <button type="button" class="round" aria-label="Attach files" onClick={() => picker.current?.click()}>
          <Icon name="attach" />
        </button>
        <input
          type="file"
          multiple
          hidden
          ref={picker}
          onChange={({ currentTarget }) => {
            files.add(currentTarget.files ?? []);
            currentTarget.value = "";
            box.current?.focus();
          }}
        />
        <button
          type="button"
          class="round"
          aria-label="Commands"
          onClick={() => {
            setMenuShut(false);
            write(text === "/" ? "" : "/");
            box.current?.focus();
          }}
        >
          <Icon name="slash" />
        </button>
        <textarea
          ref={box}
          rows={1}
          value={text}
          placeholder={files.files.length > 0 ? "Caption" : "Message"}
          aria-label={files.files.length > 0 ? "Caption" : "Message"}
          aria-haspopup="listbox"
          aria-controls="commands"
          aria-activedescendant={commands.length > 0 ? `command-${chosen}` : undefined}
          autofocus={!isTouch()}
          onInput={({ currentTarget }) => write(currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <button
          type="submit"
          class="round send"
          aria-label={about?.type === "edit" ? "Save" : "Send"}
          disabled={text.trim() === "" && files.files.length === 0}
        >
          <Icon name={about?.type === "edit" ? "check" : "plane"} />
        </button>
      </div>
    </form>
  );
}

function lastOwn(messages: readonly ChatMessage[]): ChatMessage | undefined {
  return messages.findLast(({ mine, text }) => mine && text !== "");
}

/** The quiet that is being waited for, if there is a burst that waits. */
function OpenBurst({ chat, ahead }: { readonly chat: Snapshot; readonly ahead: number }) {
  const last = chat.steps.at(-1);
  if (last?.kind !== "burst" || last.state !== "open") return null;
  return <WindowBar parts={last.parts} windowMs={chat.windowMs} ahead={ahead} />;
}

function AboutBar({ about, onLeave }: { readonly about: About; readonly onLeave: () => void }) {
  const isEdit = about.type === "edit";
  const shown = isEdit ? about.message.text : (about.quote ?? (about.to.text || (about.to.file?.name ?? "")));
  const title = isEdit
    ? "Edit"
    : `${about.quote === undefined ? "Reply to" : "Quote"} ${about.to.mine ? "yourself" : "evie"}`;
  return (
    <div class="about-bar">
      <Icon name={isEdit ? "edit" : about.quote === undefined ? "reply" : "quote"} />
      <span>
        <b>{title}</b>
        <span>{clip(shown, 200)}</span>
      </span>
      <button type="button" class="round" aria-label="Cancel" onClick={onLeave}>
        <Icon name="close" />
      </button>
    </div>
  );
}
