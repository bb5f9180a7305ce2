import { hereRendering, slowRendering } from "./here-rendering.ts";
import type { AgentEvent, Face, SessionEvent, TurnEvent } from "../../src/domain/events.ts";
import { type ChatPlace, makeTurnId } from "../../src/domain/ids.ts";
import { applyEvent, emptyTranscript } from "../../src/domain/transcript.ts";
import type { TurnOutcome } from "../../src/domain/turn.ts";
import { createBackoff } from "../../src/telegram/backoff.ts";
import { createBudget, GLOBAL_BUDGET, GROUP_BUDGET, PRIVATE_BUDGET } from "../../src/telegram/budget.ts";
import type { Answer, Call } from "../../src/telegram/calls.ts";
import { createDelivery, type Delivery } from "../../src/telegram/delivery.ts";
import { equalFormatted, type FormattedText } from "../../src/telegram/entities.ts";
import { createOutbox, type Outbox } from "../../src/telegram/outbox.ts";
import { end } from "../domain/events.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog, type MemoryLog } from "../fakes/memory-log.ts";

/** A chat at Telegram, as far as a delivery can see it. */
export interface FakeChat {
  /** What it shows, in order. */
  readonly shown: ReadonlyMap<number, FormattedText>;
  texts(): readonly string[];
  /** How many edits changed nothing. */
  readonly wasted: number;
  /** Every call that came, in order. */
  readonly calls: readonly { readonly at: number; readonly call: Call }[];
  /** Those that speak, in short: `send …`, `edit a`, `delete`. */
  said(): readonly string[];
  /** What a call runs into instead of Telegram; undefined lets it through. */
  fault: (call: Call) => Answer | undefined;
  /** Milliseconds until a call is answered. */
  latency: number;
  /** The person deletes every message of evie's. */
  wipe(): void;
}

export interface DeliveryRig {
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  readonly outbox: Outbox;
  readonly chat: FakeChat;
  readonly delivery: Delivery;
  /** Hands events to the delivery now, and wakes the outbox where that says so. */
  tell(...events: readonly (AgentEvent | TurnEvent)[]): Promise<void>;
  /** Ends the turn and lets everything that is still to be said be said. */
  finish(outcome: TurnOutcome): Promise<void>;
}

/** A turn that has just begun in a chat, on a clock that stands still. */
export async function startDelivery({
  place = { chatId: 7 },
  face = "telegram",
  so = [],
  fault,
  latency = 0,
  renderMs = 0,
}: {
  readonly place?: ChatPlace;
  readonly face?: Face;
  /** What happened in the turn before it came to the chat. */
  readonly so?: readonly AgentEvent[];
  readonly fault?: FakeChat["fault"];
  readonly latency?: number;
  /** Milliseconds that pages take which are made in another thread; 0 makes them at once. */
  readonly renderMs?: number;
} = {}): Promise<DeliveryRig> {
  const clock = createFakeClock();
  const log = createMemoryLog();
  const chat = createFakeChat(clock);
  if (fault !== undefined) chat.fault = fault;
  chat.latency = latency;
  const outbox = createOutbox({
    clock,
    log,
    perform: chat.perform,
    budget: createBudget(place.chatId < 0 ? GROUP_BUDGET : PRIVATE_BUDGET),
    shared: createBudget(GLOBAL_BUDGET),
    backoff: createBackoff(() => 0.5),
  });
  const turnId = makeTurnId();
  // The numbers of a session go on from turn to turn.
  let seq = 400;
  const number = (event: AgentEvent | TurnEvent): SessionEvent => ({
    ...event,
    seq: (seq += 1),
    at: clock.date(),
  });
  const begun = [{ type: "agent_start", turnId, face } as const, ...so].map(number);
  const turn = { id: turnId, face, transcript: begun.reduce(applyEvent, emptyTranscript) };
  const rendering = renderMs === 0 ? hereRendering() : slowRendering(clock, renderMs, () => outbox.wake());
  const delivery = createDelivery({ place, turn, rendering, clock, log });
  const apply = (event: AgentEvent | TurnEvent): boolean => delivery.apply(number(event));
  outbox.join(delivery);
  await clock.settle();

  const rig: DeliveryRig = {
    clock,
    log,
    outbox,
    chat,
    delivery,
    async tell(...events) {
      const changes = events.map(apply);
      if (changes.includes(true)) outbox.wake();
      await clock.settle();
    },
    async finish(outcome) {
      await rig.tell(end(outcome));
      await clock.advance(600_000);
    },
  };
  return rig;
}

const letThrough: FakeChat["fault"] = () => undefined;

const NOT_FOUND: Answer = { type: "target_gone" };

function createFakeChat(clock: FakeClock) {
  const shown = new Map<number, FormattedText>();
  const calls: { at: number; call: Call }[] = [];
  let lastId = 10;
  const short = (call: Call): string => {
    const words = "content" in call ? ` ${call.content.text}` : "";
    return `${call.type}${words.length > 40 ? `${words.slice(0, 40)}~` : words}`;
  };

  function take(call: Call): Answer {
    switch (call.type) {
      case "send":
        shown.set((lastId += 1), call.content);
        return { type: "done", messageId: lastId };
      case "edit": {
        const before = shown.get(call.messageId);
        if (before === undefined) return NOT_FOUND;
        if (equalFormatted(before, call.content)) chat.wasted += 1;
        shown.set(call.messageId, call.content);
        return { type: "done" };
      }
      case "delete":
        shown.delete(call.messageId);
        return { type: "done" };
      default:
        return { type: "done" };
    }
  }

  const chat = {
    shown,
    calls,
    wasted: 0,
    texts: () => [...shown.values()].map(({ text }) => text),
    said: () => calls.filter(({ call }) => call.type !== "typing").map(({ call }) => short(call)),
    fault: letThrough,
    latency: 0,
    wipe: () => shown.clear(),
    perform: async (_: ChatPlace, call: Call): Promise<Answer> => {
      calls.push({ at: clock.now(), call });
      if (chat.latency > 0) await clock.sleep(chat.latency);
      return chat.fault(call) ?? take(call);
    },
  };
  return chat;
}
