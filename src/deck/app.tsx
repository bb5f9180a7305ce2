import { useEffect, useRef, useState } from "preact/hooks";
import { useLater } from "../page-kit/use-later.ts";
import { addImages } from "./draft.ts";
import { Banner } from "./banner.tsx";
import { DrawerButton, Header } from "./header.tsx";
import { LockedOut } from "./locked-out.tsx";
import { useDeck, usePage } from "./page.ts";
import { readImages } from "./read-images.ts";
import { SessionList } from "./session-list.tsx";
import { SessionView } from "./session-view.tsx";

const TOAST_MS = 6_000;

/** The deck, or why there is none. */
export function App() {
  const locked = useDeck((state) => state.locked);
  return locked === undefined ? <Sessions /> : <LockedOut why={locked} />;
}

function Sessions() {
  const { clock, deck } = usePage();
  const shown = useDeck((state) => state.shown);
  const toast = useDeck((state) => state.toast);
  const [isDrawerOpen, setDrawerOpen] = useState(shown === undefined);
  const [dragging, setDragging] = useState(false);
  const main = useRef<HTMLElement>(null);
  const drawer = useRef<HTMLDivElement>(null);
  useLater(clock, toast, TOAST_MS, () => deck.change(({ toast: _passed, ...rest }) => rest));

  useEffect(() => {
    if (!isDrawerOpen) return undefined;
    if (hasDrawer(main.current)) firstIn(drawer.current)?.focus();
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") closeDrawer();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isDrawerOpen]);

  const closeDrawer = (): void => {
    setDrawerOpen(false);
    if (hasDrawer(main.current)) main.current?.querySelector<HTMLElement>(".drawer-button")?.focus();
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setDragging(false);
    if (shown === undefined) return;
    void readImages(event.dataTransfer?.files ?? [], deck.say).then((read) =>
      deck.change((now) => addImages(now, shown, read)),
    );
  };
  return (
    <div class={isDrawerOpen ? "page drawer-open" : "page"}>
      <div class="drawer" id="drawer" ref={drawer}>
        <SessionList onShow={closeDrawer} />
      </div>
      <div class="shade" onClick={closeDrawer} />
      <main
        class={dragging ? "chat dragging" : "chat"}
        ref={main}
        onDragOver={(event) => {
          event.preventDefault();
          setDragging(shown !== undefined);
        }}
        onDragLeave={(event) => {
          if (event.target === event.currentTarget) setDragging(false);
        }}
        onDrop={onDrop}
      >
        {shown === undefined ? (
          <header class="top">
            <DrawerButton isOpen={isDrawerOpen} onClick={() => setDrawerOpen(!isDrawerOpen)} />
          </header>
        ) : (
          <Header
            sessionId={shown}
            isDrawerOpen={isDrawerOpen}
            onDrawer={() => setDrawerOpen(!isDrawerOpen)}
          />
        )}
        <Banner />
        {shown === undefined ? (
          <p class="empty">Choose a session, or begin a new one.</p>
        ) : (
          <SessionView sessionId={shown} />
        )}
        {toast === undefined ? null : (
          <p class="toast" role="alert">
            {toast.text}
          </p>
        )}
      </main>
    </div>
  );
}

/** Whether the list is a drawer here: on a desk it simply stays, and there is no button for it. */
function hasDrawer(main: HTMLElement | null): boolean {
  return (main?.querySelector<HTMLElement>(".drawer-button")?.offsetParent ?? null) !== null;
}

function firstIn(drawer: HTMLElement | null): HTMLElement | null {
  return (
    drawer?.querySelector<HTMLElement>("[aria-current]") ??
    drawer?.querySelector<HTMLElement>("a, button") ??
    null
  );
}
