const LINES = [
  "03:12:07 migrate  step 4 of 9: copy orders into orders_v2",
  "03:12:09 migrate  12,000 rows copied, 0 refused",
  "03:12:11 database lock wait on orders, held by report_nightly",
  "03:12:41 database lock timeout after 30 s",
  "03:12:41 migrate  step 4 failed, rolling back",
  "03:12:44 migrate  rolled back to step 3, nothing was lost",
];

/** A log that is too long for one message, as people paste them. */
export const longSample = [
  "Why did the migration fail last night?",
  "",
  ...Array.from(
    { length: 150 },
    (_, index) => `${String(index + 1).padStart(3, "0")} ${LINES[index % LINES.length] ?? ""}`,
  ),
].join("\n");
