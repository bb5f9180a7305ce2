import { hereRendering } from "./here-rendering.ts";
import { Api } from "grammy";
import type { AgentEvent, SessionEvent, TurnEvent } from "../../src/domain/events.ts";
import { type ChatPlace, makeTurnId } from "../../src/domain/ids.ts";
import { applyEvent } from "../../src/domain/transcript.ts";
import type { BotApi, ShownMessage } from "../../src/playground/bot-api/bot-api.ts";
import type { ActiveFault } from "../../src/playground/bot-api/faults.ts";
import type { Person } from "../../src/playground/bot-api/person.ts";
import { startBotApi } from "../../src/playground/bot-api/start.ts";
import { createDelivery, type Delivery, justBegun } from "../../src/telegram/delivery.ts";
import { grammyFetch } from "../../src/telegram/fetch.ts";
import { createBudget, GLOBAL_BUDGET } from "../../src/telegram/budget.ts";
import { createOutboxes, type Outboxes } from "../../src/telegram/outboxes.ts";
import { createPerform } from "../../src/telegram/perform.ts";
import { end } from "../domain/events.ts";
import { createFakeClock, type FakeClock } from "../fakes/fake-clock.ts";
import { createMemoryLog } from "../fakes/memory-log.ts";
import {
  type Doing,
  type PlayedChat,
  type PlayedTurn,
  problemsOfChat,
  REPLY,
} from "./always-right-checks.ts";
import {
  type ChatScript,
  eventsOf,
  type Scenario,
  type Trouble,
  type TurnScript,
} from "./always-right-scenario.ts";
import { createWatch } from "./always-right-watch.ts";
import { ADA } from "./api-rig.ts";

export interface Played {
  /** What is wrong, in words. */
  readonly problems: readonly string[];
  readonly doings: readonly Doing[];
  /** What the bot's messages in the first chat are now, in order. */
  readonly shown: readonly ShownMessage[];
  readonly server: BotApi;
}

const STEP = 500;
/** So long everything may take, in milliseconds of the clock. */
const PATIENCE = 3 * 3_600_000;

/** Plays a scenario on an embedded Bot API with its flood model on, until nothing is left to say, and looks at what the chats show. */
export async function play(scenario: Scenario): Promise<Played> {
  const clock = createFakeClock();
  const server = await startBotApi({ clock, flood: true });
  try {
    return await createPlay(scenario, clock, server).run();
  } finally {
    server.faults.clear();
    await server.close();
  }
}

function createPlay(scenario: Scenario, clock: FakeClock, server: BotApi) {
  const problems: string[] = [];
  const log = createMemoryLog();
  const floods: ActiveFault[] = [];
  const delays: ActiveFault[] = [];
  const chats = new Map<number, PlayedChat>();
  let entitiesToRefuse = 0;

  const api = new Api(server.token, { apiRoot: server.root, fetch: grammyFetch });
  api.config.use((prev, method, payload, signal) => {
    const entities: unknown = Reflect.get(payload, "entities");
    if (entitiesToRefuse === 0 || !Array.isArray(entities) || entities.length === 0) {
      return prev(method, payload, signal);
    }
    entitiesToRefuse -= 1;
    return Promise.resolve({ ok: false, error_code: 400, description: "Bad Request: can't parse entities" });
  });
  const watch = createWatch(createPerform(api, clock, new AbortController().signal), chatOf, clock);
  const { doings } = watch;
  const outboxes: Outboxes = createOutboxes({
    perform: watch.perform,
    shared: createBudget(GLOBAL_BUDGET),
    clock,
    log,
    random: () => 0.5,
  });

  function chatOf(chatId: number): PlayedChat {
    const chat = chats.get(chatId);
    if (chat === undefined) throw new RangeError(`There is no chat ${chatId}.`);
    return chat;
  }

  /** Lets what is real keep up: until each call under way is answered, or waits for the clock. */
  async function keepUp(): Promise<void> {
    await clock.settle();
    const rounds = delays.some(({ hits }) => hits > 0) ? 6 : 2_000;
    for (let round = 0; round < rounds && watch.underWay.size > 0; round += 1) await clock.settle();
  }

  async function advanceTo(at: number): Promise<void> {
    while (clock.now() < at) {
      await clock.advance(Math.min(STEP, at - clock.now()));
      await keepUp();
    }
  }

  type Moment = { readonly at: number; readonly act: () => void | Promise<void> };

  function momentsOfTurn(chat: PlayedChat, script: TurnScript, begun: number): readonly Moment[] {
    const turnId = makeTurnId();
    let at = begun;
    let seq = 0;
    let turn: PlayedTurn | undefined;
    let delivery: Delivery | undefined;
    const happens = (event: AgentEvent | TurnEvent) => (): void => {
      const numbered: SessionEvent = { ...event, seq: (seq += 1), at: clock.date() };
      if (turn !== undefined) turn.transcript = applyEvent(turn.transcript, numbered);
      delivery?.apply(numbered);
      chat.outbox.wake();
    };
    const begin = async (): Promise<void> => {
      const [prompt] = await adaIn(chat.place).say(`prompt ${chat.turns.length}`);
      const promptId = prompt?.message_id ?? 0;
      const number = chat.turns.length;
      seq += 1;
      const begun = justBegun({ type: "agent_start", turnId, face: "telegram", seq, at: clock.date() });
      turn = { number, transcript: begun.transcript, promptId, mayBePlain: false };
      chat.turns.push(turn);
      delivery = createDelivery({
        rendering: hereRendering(),
        place: chat.place,
        turn: begun,
        replyTo: () => promptId,
        clock,
        log,
      });
      chat.outbox.join(watch.owned(delivery, number));
    };
    const moments: Moment[] = [{ at, act: begin }];
    for (const { after, event } of eventsOf(script)) moments.push({ at: (at += after), act: happens(event) });
    moments.push({ at, act: happens(end(script.outcome)) });
    return moments;
  }

  function adaIn({ chatId }: ChatPlace): Person {
    return chatId > 0 ? server.person(ADA) : server.group({ id: chatId, title: "Lab" }).as(ADA);
  }

  function momentsOfChat(script: ChatScript, index: number): readonly Moment[] {
    const place: ChatPlace = { chatId: index === 0 ? 7 : -100_000_000_008 };
    adaIn(place);
    const chat: PlayedChat = {
      place,
      outbox: outboxes(place.chatId),
      turns: [],
      pendingReplies: [],
      replies: 0,
      restUntil: Number.NEGATIVE_INFINITY,
      inDoubt: false,
      latestTurn: 0,
    };
    chats.set(place.chatId, chat);
    let at = 0;
    const turns = script.turns.flatMap((turn) => {
      const moments = momentsOfTurn(chat, turn, at + turn.pause);
      at = moments.at(-1)?.at ?? at;
      return moments;
    });
    const replies = script.replies.map((at): Moment => ({
      at,
      act: () => {
        const text = `${REPLY}${(chat.replies += 1)}`;
        chat.pendingReplies.push(text);
        chat.outbox.reply({ place, content: { text, entities: [] } });
      },
    }));
    const deletions = script.deletions.map(({ at, which }): Moment => ({
      at,
      act: () => {
        const there = server.chat(place.chatId).botMessages;
        const message = there[which % Math.max(1, there.length)];
        if (message !== undefined) adaIn(place).delete(message.id);
      },
    }));
    return [...turns, ...replies, ...deletions];
  }

  function momentsOfTrouble(trouble: Trouble): readonly Moment[] {
    const { at } = trouble;
    switch (trouble.kind) {
      case "call": {
        const { fault } = trouble;
        const act = (): void => {
          const active = server.faults.calls(fault);
          if (fault.kind === "flood") floods.push(active);
          if (fault.kind === "hang" || fault.kind === "slow") delays.push(active);
        };
        return [{ at, act }];
      }
      case "entities":
        return [{ at, act: () => void (entitiesToRefuse += trouble.times) }];
      case "outage": {
        let outage: { end(): Promise<void> } | undefined;
        return [
          {
            at,
            act: async () => {
              outage = await server.faults.outage();
            },
          },
          { at: at + trouble.ms, act: () => outage?.end() },
        ];
      }
    }
  }

  async function untilIdle(): Promise<void> {
    const busy = new Set(outboxes.all());
    const idle = outboxes.all().map(async (outbox) => {
      await outbox.idle();
      busy.delete(outbox);
    });
    const limit = clock.now() + PATIENCE;
    while (busy.size > 0 && clock.now() < limit) await advanceTo(clock.now() + STEP);
    if (busy.size > 0) problems.push("it never comes to an end");
    for (const outbox of busy) outbox.close();
    await Promise.all(idle);
  }

  return {
    async run(): Promise<Played> {
      const moments = [
        ...scenario.chats.flatMap(momentsOfChat),
        ...withoutOverlap(scenario.troubles).flatMap(momentsOfTrouble),
      ].toSorted((a, b) => a.at - b.at);
      for (const { at, act } of moments) {
        await advanceTo(at);
        await act();
      }
      await untilIdle();
      problems.push(...watch.problems);
      for (const chat of chats.values()) problems.push(...problemsOfChat(chat, server, doings));
      const tooFast = server.calls.filter(({ status }) => status === 429).length;
      const asked = floods.reduce((sum, { hits }) => sum + hits, 0);
      if (tooFast > asked) problems.push(`${tooFast - asked} calls were too fast`);
      for (const each of server.flood.violations) problems.push(`broke a rest: ${JSON.stringify(each)}`);
      for (const { complaints, method } of server.calls) {
        problems.push(...complaints.map((complaint) => `${method}: ${complaint}`));
      }
      problems.push(...log.messages("error").map((line) => `log: ${line}`));
      return { problems, doings, shown: server.chat(7).botMessages, server };
    },
  };
}

/** One outage at a time. */
function withoutOverlap(troubles: readonly Trouble[]): readonly Trouble[] {
  let over = Number.NEGATIVE_INFINITY;
  return troubles
    .toSorted((a, b) => a.at - b.at)
    .filter((trouble) => {
      if (trouble.kind !== "outage") return true;
      if (trouble.at <= over) return false;
      over = trouble.at + trouble.ms;
      return true;
    });
}
