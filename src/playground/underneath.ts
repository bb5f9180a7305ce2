import type { SessionEvent } from "../domain/events.ts";
import { clip } from "../domain/text.ts";
import type { Call } from "./bot-api/bot-api.ts";
import type { Message } from "./bot-api/shapes.ts";
import type { Step, StepDetail } from "./wire.ts";

type Detail<Kind extends Step["kind"]> = Extract<Step, { readonly kind: Kind }>;

/** What happens between the chat and the agent, told step by step. */
export interface Underneath {
  /** The newest steps, oldest first. */
  readonly steps: readonly Step[];
  /** A message reached evie. */
  arrived(message: Message): void;
  /** Something happened in a session. */
  see(event: SessionEvent): void;
  /** A call of evie's was answered. `restMs` is what is left of the rest that the chat was told to take. */
  answered(call: Call, restMs: number): void;
  remark(words: string): void;
}

const STEPS_KEPT = 80;
/** Characters of a prompt that are shown. */
const LONGEST_PROMPT = 20_000;
/** Commands that take a waiting burst away. */
const DISCARDING = /^\/(?:clear|new|stop)(?![a-z0-9_])/i;

/** `date` is the clock's; `changed` gets each step that is new or has gone on. */
export function createUnderneath(date: () => number, changed: (step: Step) => void): Underneath {
  let steps: readonly Step[] = [];
  let lastId = 0;
  /** The turn that runs, or ran last. */
  let turnId = 0;
  /** Which turn's a message of evie's is. */
  const turnOf = new Map<number, number>();

  function put(step: Step): Step {
    const at = steps.findIndex(({ id }) => id === step.id);
    steps = at === -1 ? [...steps, step].slice(-STEPS_KEPT) : steps.with(at, step);
    changed(step);
    return step;
  }

  function add(detail: StepDetail): Step {
    lastId += 1;
    return put({ id: lastId, at: date(), ...detail });
  }

  const openBurst = (): Detail<"burst"> | undefined =>
    steps.findLast((step): step is Detail<"burst"> => step.kind === "burst" && step.state === "open");

  function closeBursts(state: "flushed" | "discarded"): void {
    for (let burst = openBurst(); burst !== undefined; burst = openBurst()) put({ ...burst, state });
  }

  function changeTurn(id: number, change: (turn: Detail<"turn">) => Partial<Detail<"turn">>): void {
    const turn = steps.find((step): step is Detail<"turn"> => step.kind === "turn" && step.id === id);
    if (turn !== undefined) put({ ...turn, ...change(turn) });
  }

  function count(call: Call): void {
    const method = call.method.toLowerCase();
    const result = call.result as { readonly message_id?: number } | undefined;
    const messageId = Number(call.payload["message_id"]);
    if (/^send(?!chataction)/.test(method)) {
      if (result?.message_id !== undefined) turnOf.set(result.message_id, turnId);
      changeTurn(turnId, ({ sent }) => ({ sent: sent + 1 }));
    } else if (method.startsWith("edit")) {
      changeTurn(turnOf.get(messageId) ?? turnId, ({ edited }) => ({ edited: edited + 1 }));
    } else if (method.startsWith("delete") && Number.isInteger(messageId)) {
      changeTurn(turnOf.get(messageId) ?? turnId, ({ deleted }) => ({ deleted: deleted + 1 }));
    }
  }

  return {
    get steps() {
      return steps;
    },
    arrived(message) {
      const command = commandOf(message);
      if (command !== undefined) {
        if (DISCARDING.test(command)) closeBursts("discarded");
        add({ kind: "command", text: command });
        return;
      }
      const part = { messageId: message.message_id, what: describe(message), at: date() };
      const burst = openBurst();
      if (burst === undefined) add({ kind: "burst", parts: [part], state: "open" });
      else put({ ...burst, parts: [...burst.parts, part] });
    },
    see(event) {
      switch (event.type) {
        case "agent_start":
          closeBursts("flushed");
          turnId = add({ kind: "turn", tools: [], sent: 0, edited: 0, deleted: 0 }).id;
          return;
        case "message_start": {
          if (event.message.role !== "user") return;
          const text = event.message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
          changeTurn(turnId, () => ({
            prompt: { text: clip(text, LONGEST_PROMPT), length: text.length },
          }));
          return;
        }
        case "tool_execution_start":
          changeTurn(turnId, ({ tools }) => ({ tools: [...tools, `${event.toolName}: ${event.summary}`] }));
          return;
        case "agent_interrupted":
          changeTurn(turnId, () => ({ outcome: event.outcome }));
          return;
        case "agent_end":
          changeTurn(turnId, ({ outcome = event.outcome }) => ({ endedAt: date(), outcome }));
          return;
        default:
      }
    },
    answered(call, restMs) {
      if (call.status === 200) return count(call);
      if (call.lost || call.status === undefined) return;
      const words = `${call.method} was refused: ${call.description ?? call.status}`;
      add({
        kind: "refusal",
        words,
        ...(call.status === 429 && restMs > 0 ? { until: date() + restMs } : {}),
      });
    },
    remark: (words) => void add({ kind: "remark", words }),
  };
}

/** A text that begins with a command, which no burst ever holds. */
function commandOf({ text, entities }: Message): string | undefined {
  const first = entities?.some(({ type, offset }) => type === "bot_command" && offset === 0);
  return first === true ? text : undefined;
}

function describe(message: Message): string {
  const { text, caption, photo, document, video, audio, voice, animation } = message;
  const kind =
    photo !== undefined
      ? "a picture"
      : ((animation ?? video ?? audio ?? voice ?? document)?.file_name ??
        (text === undefined ? "a file" : ""));
  const words = text ?? caption ?? "";
  const length =
    words === "" ? "" : `${words.length.toLocaleString("en")} character${words.length === 1 ? "" : "s"}`;
  return [kind, length].filter((word) => word !== "").join(", ");
}
