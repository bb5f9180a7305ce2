/*
 * ECMA-48: CSI sequences, strings such as OSC titles up to their terminator, and the two-character escapes. An
 * unfinished one at the end of what has come so far goes as well.
 */
const ESCAPES =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*(?:[@-~]|$)|\u001b[\]PX^_](?:[^\u0007\u001b]*(?:\u0007|\u001b\\|$))|\u001b(?:[ -/]*[0-~]|$)/g;

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** What a program wrote for a terminal, as a person reads it: no colours, and of a line that was overwritten its last state. */
export function plainOutput(text: string): string {
  return text
    .replace(ESCAPES, "")
    .split("\n")
    .map((line) => line.replace(/\r+$/, "").replace(/^.*\r/s, ""))
    .join("\n")
    .replace(CONTROLS, "");
}
