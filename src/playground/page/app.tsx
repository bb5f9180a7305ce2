import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { browserClock } from "../../page-kit/browser-clock.ts";
import { Locked } from "../../page-kit/locked.tsx";
import type { Store } from "../../page-kit/store.ts";
import { useLater } from "../../page-kit/use-later.ts";
import type { ChatMessage } from "../wire.ts";
import { Announcer } from "./announcer.tsx";
import { Composer } from "./composer.tsx";
import type { About } from "./draft.ts";
import { Header } from "./header.tsx";
import type { MessageActions } from "./message-menu.tsx";
import { MessageList } from "./message-list.tsx";
import type { State } from "./state.ts";
import { useServer } from "./server.ts";
import { useStore } from "./store.ts";
import { Underneath } from "./underneath.tsx";
import { useFiles } from "./use-files.ts";
import { sentence } from "./words.ts";

const TOAST_MS = 6_000;

/** The page. */
export function App({ store }: { readonly store: Store<State> }) {
  const state = useStore(store);
  const { chat, locked, ahead, toast } = state;
  const { act, sendFiles } = useServer();
  const [about, setAbout] = useState<About | undefined>(undefined);
  const [asFiles, setAsFiles] = useState(false);
  const [panelOpen, setPanelOpen] = useState(() => matchMedia("(min-width: 60rem)").matches);
  const [dragging, setDragging] = useState(false);
  const files = useFiles();
  const main = useRef<HTMLElement>(null);

  const tell = useCallback(
    (error: unknown) => store.update((now) => ({ ...now, toast: sentence(error) })),
    [store],
  );
  useLater(browserClock, toast, TOAST_MS, () => store.update(({ toast: _passed, ...rest }) => rest));

  const say = useCallback((text: string) => void act("say", { text }).catch(tell), [act, tell]);
  const actions = useMemo<MessageActions>(
    () => ({
      onReply: (to, quote) => setAbout({ type: "reply", to, ...(quote === undefined ? {} : { quote }) }),
      onEdit: (message) => setAbout({ type: "edit", message }),
      onDelete: (messages) => {
        for (const { id } of messages) act("delete", { id }).catch(tell);
      },
      onPress: ({ id }: ChatMessage, data) => void act("press", { id, data }).catch(tell),
      onCommand: say,
    }),
    [act, say, tell],
  );

  const send = async (text: string): Promise<boolean> => {
    const replyTo = about?.type === "reply" ? about.to.id : undefined;
    const taken = files.take();
    setAbout(undefined);
    try {
      if (about?.type === "edit") await act("edit", { id: about.message.id, text });
      else if (taken.length > 0)
        await sendFiles({
          files: taken,
          asFiles,
          caption: text,
          ...(replyTo === undefined ? {} : { replyTo }),
        });
      else {
        const quote = about?.type === "reply" ? about.quote : undefined;
        const reply = replyTo === undefined ? {} : { replyTo };
        await act("say", { text, ...reply, ...(quote === undefined ? {} : { quote }) });
      }
      return true;
    } catch (error) {
      files.putBack(taken);
      setAbout(about);
      tell(error);
      return false;
    }
  };

  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setDragging(false);
    files.add(event.dataTransfer?.files ?? []);
  };
  if (locked)
    return (
      <Locked title="This page is locked">
        The playground lets in who opens the link that evie printed in the terminal. It has another one after
        each start.
      </Locked>
    );
  if (chat === undefined) return <p class="loading">Connecting…</p>;
  return (
    <div class={panelOpen ? "page with-panel" : "page"}>
      <main
        class={dragging ? "chat dragging" : "chat"}
        ref={main}
        onDragOver={(event) => {
          event.preventDefault();
          setDragging(true);
        }}
        onDragLeave={(event) => {
          if (event.target === event.currentTarget) setDragging(false);
        }}
        onDrop={onDrop}
      >
        <Header state={state} isOpen={panelOpen} onPanel={() => setPanelOpen(!panelOpen)} />
        <MessageList chat={chat} ahead={ahead} actions={actions} onSay={say} />
        <Composer
          chat={chat}
          ahead={ahead}
          about={about}
          files={files}
          asFiles={asFiles}
          onAsFiles={setAsFiles}
          onAbout={setAbout}
          onSend={send}
        />
        {toast === undefined ? null : (
          <p class="toast" role="alert">
            {toast}
          </p>
        )}
      </main>
      <Underneath
        chat={chat}
        ahead={ahead}
        isOpen={panelOpen}
        onClose={() => {
          setPanelOpen(false);
          main.current?.querySelector<HTMLElement>(".panel-toggle")?.focus();
        }}
        onTrouble={(name, on) => void act("trouble", { name, on }).catch(tell)}
      />
      <Announcer chat={chat} />
    </div>
  );
}
