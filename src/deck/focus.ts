/** Whether what is typed at an element goes into it. */
export function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
}

/**
 * Moves the focus to the first thing in `frame` that takes it, unless somebody is writing elsewhere. Gives the way to
 * put it back to where it was.
 */
export function takeFocus(frame: HTMLElement | null): () => void {
  const before = document.activeElement;
  const writes = isEditable(before) && (before as HTMLInputElement | HTMLTextAreaElement).value !== "";
  if (!writes) {
    const first = frame?.querySelector<HTMLElement>(".choices button, input, textarea") ?? frame;
    first?.focus({ preventScroll: true });
  }
  return () => {
    if (frame?.contains(document.activeElement) !== true) return;
    if (before instanceof HTMLElement && before !== document.body) before.focus({ preventScroll: true });
  };
}
