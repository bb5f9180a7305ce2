import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../page-kit/icon.tsx";
import type { Snapshot } from "../wire.ts";
import { StepCard } from "./step-card.tsx";
import { TroubleSwitches } from "./troubles.tsx";

export interface UnderneathProps {
  readonly chat: Snapshot;
  readonly ahead: number;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onTrouble: (name: "flood" | "outage" | "slowFiles", on: boolean) => void;
}

/** What happens between the chat and the agent: beside the chat where there is room, else a sheet over it. */
export function Underneath({ chat, ahead, isOpen, onClose, onTrouble }: UnderneathProps) {
  const panel = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [chat.steps, isOpen]);
  useLayoutEffect(() => {
    if (isOpen && matchMedia("(max-width: 60rem)").matches)
      panel.current?.querySelector<HTMLElement>(".sheet-close")?.focus();
  }, [isOpen]);
  return (
    <aside
      id="underneath"
      ref={panel}
      class={isOpen ? "underneath open" : "underneath"}
      aria-label="What happens underneath"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div class="panel-head">
        <h2>Underneath</h2>
        <button type="button" class="round sheet-close" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="steps" ref={list}>
        {chat.steps.length === 0 ? (
          <Quiet>
            What you write shows up here on its way: as messages that arrive, as the prompt that evie makes of
            them, as calls that bring the answer back.
          </Quiet>
        ) : (
          <ol>
            {chat.steps.map((step) => (
              <StepCard key={step.id} step={step} windowMs={chat.windowMs} ahead={ahead} />
            ))}
          </ol>
        )}
      </div>
      <TroubleSwitches troubles={chat.troubles} ahead={ahead} onTrouble={onTrouble} />
      <p class="workspace">
        The agent works in <code title={chat.workspace}>{chat.workspace}</code>
      </p>
    </aside>
  );
}

function Quiet({ children }: { readonly children: ComponentChildren }) {
  return <p class="quiet-words">{children}</p>;
}
