/*
 * What the fake agent can be told. See fake-agent.ts for how.
 */

/** How the program ends itself: by a signal, or else with a code (0 unless said), after writing `stderr`. */
export interface FakeExit {
  readonly code?: number;
  readonly signal?: "SIGKILL" | "SIGTERM" | "SIGSEGV";
  readonly stderr?: string;
}

/** How the program behaves as a whole. Every field may be left out. */
export interface FakeProcess {
  /** Milliseconds before it reads its first request. */
  readonly readyMs?: number;
  /** It never answers `get_state`. */
  readonly neverReady?: boolean;
  /** The model that it says it would ask; it says nothing of one without. */
  readonly model?: string;
  /** It ends instead of starting. */
  readonly exit?: FakeExit;
  /** Lines written to stdout at the start, as they are. */
  readonly rubbish?: readonly string[];
  /** Text written to stderr at the start. */
  readonly stderr?: string;
  /** SIGTERM does nothing. */
  readonly ignoreTerm?: boolean;
  /** The end of stdin does nothing. */
  readonly ignoreEof?: boolean;
  /** Its tools are left running when it ends; otherwise it kills them, as pi does. */
  readonly leaveTools?: boolean;
}

/** What one prompt makes it do, in the order of these fields. Every field may be left out. */
export interface FakeRun {
  /** Milliseconds before the prompt is answered. */
  readonly acceptMs?: number;
  /** An abort in that time is answered at once and changes nothing. */
  readonly deafWhileAccepting?: boolean;
  /** Ends itself before the prompt is answered. */
  readonly exitBefore?: FakeExit;
  /** Answers the prompt with this refusal; nothing follows. */
  readonly refuse?: string;
  /** Says this through an extension before the answer. */
  readonly notify?: string;
  /** Answers that the prompt was a command of an extension; nothing follows. */
  readonly handled?: boolean;
  /** Ends itself right after the prompt was answered. */
  readonly exitAfter?: FakeExit;
  /** Asks this and waits for the answer. */
  readonly dialog?: string;
  /** Failed attempts before the answer, each with a few words that must vanish. */
  readonly retries?: number;
  /** Milliseconds before each new attempt. */
  readonly retryMs?: number;
  /** Runs a tool before the answer. */
  readonly tool?: FakeTool;
  /** So many deltas of thinking before the text. */
  readonly thinking?: number;
  /** The answer, one delta a word. Without `text` and `deltas` it is `Echo: ` and the prompt. */
  readonly text?: string;
  /** An answer of so many deltas of six characters: `w0001 w0002 ...`. */
  readonly deltas?: number;
  /** Milliseconds over which the deltas of the answer are spread; 0, as fast as they can be written. */
  readonly overMs?: number;
  /** Lines written to stdout in the middle of the answer, as they are. */
  readonly rubbish?: readonly string[];
  /** Ends itself in the middle of the answer. */
  readonly exit?: FakeExit;
  /** Stays silent for ever after half of the answer. */
  readonly hang?: boolean;
  /** An abort changes nothing and is not answered. */
  readonly ignoreAbort?: boolean;
  /** Answers an abort so many milliseconds after the run's end. */
  readonly abortAnswerMs?: number;
  /** The model fails for good with this. */
  readonly fail?: string;
  /** Compacts the conversation before it settles. */
  readonly compact?: boolean;
  /** Speaks as pi did before 0.84: updates that carry the whole message, or no `agent_settled`. */
  readonly old?: "cumulative" | "agent_end";
}

export interface FakeTool {
  readonly name?: string;
  readonly args?: unknown;
  /** Characters of its output, which come in one line. */
  readonly output?: number;
  /** Runs a real process with a child, in a process group of its own, until the run's end; its pid is the tool's first output. */
  readonly process?: boolean;
  /** That process also holds the agent's stdout open. */
  readonly holdStdout?: boolean;
}

/** The script in a prompt: the object behind the last `FAKE` in it. */
export function scriptOf(text: string): FakeRun {
  const at = text.lastIndexOf("FAKE{");
  if (at === -1) return {};
  for (let end = text.indexOf("}", at); end !== -1; end = text.indexOf("}", end + 1)) {
    try {
      return JSON.parse(text.slice(at + 4, end + 1)) as FakeRun;
    } catch {
      // That brace did not close it.
    }
  }
  return {};
}
