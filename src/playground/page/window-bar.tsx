export interface WindowBarProps {
  readonly parts: readonly { readonly messageId: number; readonly at: number }[];
  readonly windowMs: number;
  readonly ahead: number;
}

/** The quiet that evie waits for: drains from each arrival on, and begins anew with the next. */
export function WindowBar({ parts, windowMs, ahead }: WindowBarProps) {
  const last = parts.at(-1);
  if (last === undefined) return null;
  const passed = Math.max(0, Date.now() + ahead - last.at);
  return (
    <div class="window-bar" aria-hidden="true">
      <i
        key={last.messageId}
        style={{ animationDuration: `${windowMs}ms`, animationDelay: `${-Math.min(passed, windowMs)}ms` }}
      />
    </div>
  );
}
