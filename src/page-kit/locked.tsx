import type { ComponentChildren } from "preact";

export interface LockedProps {
  /** What is so, in a few words. */
  readonly title: string;
  /** What to do. */
  readonly children: ComponentChildren;
}

/** What stands in the place of a page that the server does not let this browser see. */
export function Locked({ title, children }: LockedProps) {
  return (
    <main class="locked">
      <img src="/icon.svg" width="64" height="64" alt="" />
      <div role="alert">
        <h1>{title}</h1>
        <p>{children}</p>
      </div>
    </main>
  );
}
