const PATHS = {
  send: "M12 20V5m-6.5 6.5L12 5l6.5 6.5",
  stop: "M7 7h10v10H7z",
  attach: "m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.3a1.7 1.7 0 0 1-2.4-2.4L14.6 7",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "m5 12.5 4.5 4.5L19 7",
  clock: "M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
  down: "M12 5v14m-6-6 6 6 6-6",
  open: "m9 6 6 6-6 6",
  menu: "M4 7h16M4 12h16M4 17h10",
  plus: "M12 5v14M5 12h14",
  offline: "M3 3l18 18M8.5 15.5a5 5 0 0 1 5-1.2M5 12a10 10 0 0 1 4-2.6m5.5-.2A10 10 0 0 1 19 12M12 19h.01",
  problem: "M12 8v5m0 3h.01M12 3 2.5 20h19z",
  question: "M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7v.5m0 3h.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
} as const;

export type IconName = keyof typeof PATHS;

/** A line drawing, which says nothing to a screen reader. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
