/** What only evie may hold: its bot token, and everything it is configured with. */
const EVIE_OWN = /^(?:TELEGRAM_BOT_TOKEN|TELEGRAM_API_ROOT|LOG_LEVEL|EVIE_.*)$/;

/** What systemd tells the service that evie is: a tool that believed it would report itself ready in evie's place. */
const SERVICE_OWN =
  /^(?:NOTIFY_SOCKET|WATCHDOG_(?:PID|USEC)|LISTEN_(?:FDS|PID|FDNAMES)|JOURNAL_STREAM|INVOCATION_ID|SYSTEMD_EXEC_PID)$/;

/** What npm sets for its scripts, and says of itself. */
const NPM_OWN = /^npm_/i;

/** The folders that npm puts in front of PATH for a script. */
const NPM_FOLDER = /(?:^|[\\/])(?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/;

/**
 * The environment that the agent gets: the parent's, without the bot token, everything of evie's, every variable
 * that holds one of `secrets` (as it is or URL-encoded), and what npm or systemd added when it started evie. The rest stays:
 * keys of model providers and the agent's own variables must reach it.
 */
export function agentEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[],
): Record<string, string> {
  const hidden = secrets
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const startedByNpm = env["npm_lifecycle_event"] !== undefined || env["npm_execpath"] !== undefined;

  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || EVIE_OWN.test(name) || SERVICE_OWN.test(name) || NPM_OWN.test(name)) continue;
    if (hidden.some((secret) => value.includes(secret))) continue;
    if (startedByNpm && (name === "INIT_CWD" || name === "NODE")) continue;
    kept[name] = startedByNpm && name === "PATH" ? withoutNpmFolders(value) : value;
  }
  return kept;
}

/** The tools of the agent must find the programs of the machine, not those that evie was built with. */
function withoutNpmFolders(path: string): string {
  return path
    .split(":")
    .filter((folder) => !NPM_FOLDER.test(folder))
    .join(":");
}
