/** Copies the code of the block whose button was pressed; says so on the button. */
export function copyCode(event: Event): void {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-copy]") : null;
  const code = button?.closest("figure")?.querySelector("code")?.textContent;
  if (button === null || code === undefined) return;
  const say = (words: string) => (): void => {
    button.textContent = words;
  };
  navigator.clipboard.writeText(code ?? "").then(say("Copied"), say("Not allowed"));
  button.addEventListener("pointerleave", say("Copy"), { once: true });
  button.addEventListener("blur", say("Copy"), { once: true });
}
