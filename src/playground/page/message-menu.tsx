import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "../../page-kit/icon.tsx";
import type { ChatMessage } from "../wire.ts";

export interface MessageActions {
  readonly onReply: (message: ChatMessage, quote?: string) => void;
  readonly onEdit: (message: ChatMessage) => void;
  readonly onDelete: (messages: readonly ChatMessage[]) => void;
  readonly onPress: (message: ChatMessage, data: string) => void;
  readonly onCommand: (command: string) => void;
}

interface Item {
  readonly icon: IconName;
  readonly label: string;
  readonly act: () => void;
}

/** What can be done with a message: behind a button, and a right click or a long press on the bubble. */
export function MessageMenu({
  messages,
  actions,
}: {
  readonly messages: readonly ChatMessage[];
  readonly actions: MessageActions;
}) {
  const [open, setOpen] = useState<{ readonly quote: string } | undefined>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const show = (): void => setOpen({ quote: selectionIn(button.current?.parentElement ?? null) });

  useEffect(() => {
    const row = button.current?.closest(".row");
    const onContextMenu = (event: Event): void => {
      const { target } = event;
      // Links and pictures keep the browser's own menu.
      if (target instanceof Element && target.closest("a") !== null) return;
      event.preventDefault();
      show();
    };
    row?.addEventListener("contextmenu", onContextMenu);
    return () => row?.removeEventListener("contextmenu", onContextMenu);
  }, []);

  const close = (refocus: boolean): void => {
    setOpen(undefined);
    if (refocus) button.current?.focus();
  };
  return (
    <div class="message-menu">
      <button
        type="button"
        ref={button}
        class="round"
        aria-label="More about this message"
        aria-haspopup="menu"
        aria-expanded={open !== undefined}
        // Else the press would take the selection away that is to be quoted.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => (open === undefined ? show() : close(true))}
      >
        <Icon name="more" />
      </button>
      {open === undefined ? null : <Menu items={itemsFor(messages, open.quote, actions)} close={close} />}
    </div>
  );
}

function itemsFor(messages: readonly ChatMessage[], quote: string, actions: MessageActions): readonly Item[] {
  const [head] = messages;
  const worded = messages.find(({ text }) => text !== "");
  if (head === undefined) return [];
  const target = worded ?? head;
  return [
    { icon: "reply", label: "Reply", act: () => actions.onReply(target) },
    ...(quote === ""
      ? []
      : [{ icon: "quote", label: "Quote selection", act: () => actions.onReply(target, quote) } as const]),
    ...(worded === undefined
      ? []
      : [
          {
            icon: "copy",
            label: "Copy text",
            act: () => void navigator.clipboard.writeText(worded.text).catch(() => undefined),
          } as const,
        ]),
    ...(head.mine && worded !== undefined
      ? [{ icon: "edit", label: "Edit", act: () => actions.onEdit(worded) } as const]
      : []),
    { icon: "trash", label: "Delete", act: () => actions.onDelete(messages) },
  ];
}

function Menu({
  items,
  close,
}: {
  readonly items: readonly Item[];
  readonly close: (refocus: boolean) => void;
}) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    menu.current?.querySelector("button")?.focus();
    menu.current?.scrollIntoView({ block: "nearest" });
    const onPress = (event: Event): void => {
      if (event.target instanceof Node && menu.current?.parentElement?.contains(event.target) !== true)
        close(false);
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...(menu.current?.querySelectorAll("button") ?? [])];
    const at = buttons.findIndex((button) => button === document.activeElement);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape" || event.key === "Tab") close(true);
    if (step !== 0) buttons.at((at + step) % buttons.length)?.focus();
    if (step === 0 && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" role="menu" ref={menu} onKeyDown={onKeyDown}>
      {items.map(({ icon, label, act }) => (
        <button
          type="button"
          role="menuitem"
          key={label}
          onClick={() => {
            close(false);
            act();
          }}
        >
          <Icon name={icon} />
          {label}
        </button>
      ))}
    </div>
  );
}

/** The text that is selected inside of `row`. */
function selectionIn(row: Element | null): string {
  const selection = getSelection();
  const inside =
    selection?.anchorNode !== null && row?.parentElement?.contains(selection?.anchorNode ?? null) === true;
  return inside ? (selection?.toString().trim() ?? "") : "";
}
