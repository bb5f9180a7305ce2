const PATHS = {
  plane: "M4 12 20 4l-5 16-3.5-6.5zM11.5 13.5 20 4",
  up: "M12 20V5m-6.5 6.5L12 5l6.5 6.5",
  down: "M12 5v14m-6-6 6 6 6-6",
  stop: "M7 7h10v10H7z",
  attach: "m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 4.8 4.8l-8.3 8.3a1.7 1.7 0 0 1-2.4-2.4L14.6 7",
  close: "M6 6l12 12M18 6 6 18",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  menu: "M4 7h16M4 12h16M4 17h10",
  plus: "M12 5v14M5 12h14",
  open: "m9 6 6 6-6 6",
  copy: "M9 9h10v11H9zM5 15V4h10",
  check: "m5 12.5 4.5 4.5L19 7",
  checks: "m2 12.5 4.5 4.5L15 8M11.5 16.2l.9.8L21 8",
  clock: "M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
  reply: "m9 7-5 5 5 5M4 12h9a7 7 0 0 1 7 7",
  quote: "M5 6h14M5 12h9M5 18h6",
  edit: "m4 20 1-4.5L16.5 4l3.5 3.5L8.5 19z",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15zM10 21h4",
  mute: "M6 17V11a6 6 0 0 1 9-5.2M18 11v6l1.5 1.5H7M10 21h4M4 4l16 16",
  layers: "m12 3 9 5-9 5-9-5zM3.5 12.5 12 17l8.5-4.5M3.5 16.5 12 21l8.5-4.5",
  file: "M6 3h8l5 5v13H6zM14 3v5h5",
  slash: "M15 5 9 19",
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
