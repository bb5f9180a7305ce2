/** Whether what is typed at an element goes into it. */
export function isEditable(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
}

/** Whether the keyboard comes up with the focus, over half of the screen. */
export const isTouch = (): boolean => matchMedia("(pointer: coarse)").matches;

/**
 * Moves the focus to the first thing in `frame` that takes it, unless somebody is writing elsewhere. Gives the way to
 * put it back to where it was; where it was nowhere, to the composer.
 */
export function takeFocus(frame: HTMLElement | null): () => void {
  const before = document.activeElement;
  const writes = isEditable(before) && (before as HTMLInputElement | HTMLTextAreaElement).value !== "";
  if (!writes) {
    const first = frame?.querySelector<HTMLElement>(".choices button, input, textarea") ?? frame;
    first?.focus({ preventScroll: true });
  }
  return () => {
    const { activeElement } = document;
    if (writes || (frame?.contains(activeElement) !== true && activeElement !== document.body)) return;
    const composer = isTouch() ? null : document.querySelector<HTMLElement>(".composer textarea");
    const back = before instanceof HTMLElement && before !== document.body ? before : composer;
    back?.focus({ preventScroll: true });
  };
}
