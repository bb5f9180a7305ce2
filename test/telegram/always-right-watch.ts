import type { Clock } from "../../src/domain/clock.ts";
import type { ChatPlace } from "../../src/domain/ids.ts";
import type { Call, PerformCall } from "../../src/telegram/calls.ts";
import type { Speaker } from "../../src/telegram/speakers.ts";
import type { Doing, PlayedChat } from "./always-right-checks.ts";

/** Stands between the outboxes and Telegram, and looks at each call as it is made. */
export interface Watch {
  readonly perform: PerformCall;
  /** Gives the same speaker; what it says belongs to that turn. */
  owned(speaker: Speaker, turn: number): Speaker;
  readonly doings: readonly Doing[];
  /** Calls that are not answered yet. */
  readonly underWay: ReadonlySet<Doing>;
  readonly problems: readonly string[];
}

export function createWatch(
  performReally: PerformCall,
  chatOf: (chatId: number) => PlayedChat,
  clock: Clock,
): Watch {
  const doings: Doing[] = [];
  const problems: string[] = [];
  const underWay = new Set<Doing>();
  const owners = new WeakMap<Call, number>();

  function begins(place: ChatPlace, call: Call): Doing {
    const chat = chatOf(place.chatId);
    const turn = owners.get(call);
    const ended = turn !== undefined && chat.turns[turn]?.transcript.turn?.outcome !== undefined;
    const doing: Doing = { at: clock.now(), chatId: place.chatId, call, turn, ended, answer: undefined };
    doings.push(doing);
    if (call.type === "probe") return doing;
    if (clock.now() < chat.restUntil) problems.push(`${call.type} into a rest`);
    if (call.type === "typing") {
      if (ended) problems.push("typing after the end");
      return doing;
    }
    if (chat.inDoubt) problems.push(`${call.type} while nobody knows whether Telegram can be reached`);
    const [reply] = chat.pendingReplies;
    const isReply = turn === undefined;
    if (reply !== undefined && !(isReply && call.type === "send" && call.content.text === reply)) {
      problems.push(`${call.type} before a reply`);
    }
    if (turn !== undefined) {
      if (turn < chat.latestTurn) problems.push(`${call.type} of turn ${turn} after turn ${chat.latestTurn}`);
      chat.latestTurn = turn;
    }
    return doing;
  }

  function answered({ chatId, call, turn, ended, answer }: Doing): void {
    const chat = chatOf(chatId);
    if (answer?.type !== "unreachable") chat.inDoubt = false;
    else if (call.type === "send" || call.type === "document") chat.inDoubt = true;
    switch (answer?.type) {
      case "flood":
        chat.restUntil = clock.now() + answer.retryAfter * 1_000;
        return;
      case "unreachable":
        return;
      case "entities_refused": {
        const owner = turn === undefined ? undefined : chat.turns[turn];
        if (ended && owner !== undefined) owner.mayBePlain = true;
        return;
      }
      case "done":
        if (turn === undefined && call.type === "send") chat.pendingReplies.shift();
        return;
      case "target_gone":
        return;
      default:
        problems.push(`${call.type} was answered ${JSON.stringify(answer)}`);
    }
  }

  return {
    doings,
    underWay,
    problems,
    owned: (speaker, turn) => ({
      place: speaker.place,
      get finished() {
        return speaker.finished;
      },
      wishes: (now) => speaker.wishes(now),
      speak(urgency, now) {
        const call = speaker.speak(urgency, now);
        if (call !== undefined) owners.set(call, turn);
        return call;
      },
      heard: (call, answer) => speaker.heard(call, answer),
    }),
    perform: async (place, call) => {
      const doing = begins(place, call);
      underWay.add(doing);
      doing.answer = await performReally(place, call);
      underWay.delete(doing);
      answered(doing);
      return doing.answer;
    },
  };
}
