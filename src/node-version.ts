/** The oldest major version of Node that evie runs on; `engines` in package.json says the same. */
const OLDEST_MAJOR = 24;

/**
 * The sentence for a person whose Node is too old for evie; undefined when it is not. `version` is as process.version
 * has it: "v24.1.0". Read by old Nodes as well: see launcher.ts.
 */
export function complaintAbout(version: string): string | undefined {
  const major = Number(version.replace(/^v/, "").split(".")[0]);
  if (major >= OLDEST_MAJOR) return undefined;
  return `evie: this is Node ${version}, and evie needs Node ${OLDEST_MAJOR} or newer; install it from https://nodejs.org and make it the first node on the PATH.`;
}
