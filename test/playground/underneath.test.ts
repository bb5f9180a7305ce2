import { describe, expect, test } from "vitest";
import type { AgentEvent, TurnEvent } from "../../src/domain/events.ts";
import { makeTurnId } from "../../src/domain/ids.ts";
import type { Call } from "../../src/playground/bot-api/bot-api.ts";
import type { Message } from "../../src/playground/bot-api/shapes.ts";
import { createUnderneath } from "../../src/playground/underneath.ts";
import type { Step } from "../../src/playground/wire.ts";

const CHAT = { id: 7, type: "private" } as const;
const TURN = makeTurnId();

function start() {
  let time = 1_000;
  let seq = 0;
  let messageId = 0;
  const told: Step[] = [];
  const underneath = createUnderneath(
    () => time,
    (step) => told.push(step),
  );
  const message = (fields: Partial<Message>): Message => {
    messageId += 1;
    return { message_id: messageId, date: 0, chat: CHAT, ...fields };
  };
  const call = (method: string, fields: Partial<Call>): Call => ({
    method,
    payload: {},
    chatId: CHAT.id,
    at: time,
    answeredAt: time,
    status: 200,
    description: undefined,
    result: true,
    effective: true,
    lost: false,
    complaints: [],
    ...fields,
  });
  return {
    told,
    underneath,
    pass: (ms: number) => {
      time += ms;
    },
    arrives: (fields: Partial<Message>) => underneath.arrived(message(fields)),
    sees: (event: AgentEvent | TurnEvent) => {
      seq += 1;
      underneath.see({ ...event, seq, at: time });
    },
    answers: (method: string, fields: Partial<Call> = {}, restMs = 0) =>
      underneath.answered(call(method, fields), restMs),
  };
}

const command = (text: string): Partial<Message> => ({
  text,
  entities: [{ type: "bot_command", offset: 0, length: text.length }],
});

describe("what happens underneath", () => {
  test("messages that arrive before the flush are one burst, which the turn's start flushes", () => {
    const { arrives, sees, pass, underneath } = start();
    arrives({ text: "one" });
    pass(40);
    arrives({ caption: "two", photo: [] });
    expect(underneath.steps).toMatchObject([
      {
        kind: "burst",
        state: "open",
        at: 1_000,
        parts: [
          { what: "3 characters", at: 1_000 },
          { what: "a picture, 3 characters", at: 1_040 },
        ],
      },
    ]);
    sees({ type: "agent_start", turnId: TURN, face: "telegram" });
    arrives({ document: { file_id: "f", file_unique_id: "f", file_name: "rain.csv" } });
    expect(underneath.steps).toMatchObject([
      { kind: "burst", state: "flushed" },
      { kind: "turn" },
      { kind: "burst", state: "open", parts: [{ what: "rain.csv" }] },
    ]);
  });

  test.each([
    ["/stop", "discarded"],
    ["/clear", "discarded"],
    ["/NEW@evie_bot", "discarded"],
    ["/help", "open"],
    ["/stopping", "open"],
  ])("after the command %s a waiting burst is %s", (text, state) => {
    const { arrives, underneath } = start();
    arrives({ text: "wait" });
    arrives(command(text));
    expect(underneath.steps).toMatchObject([
      { kind: "burst", state },
      { kind: "command", text },
    ]);
  });

  test("a turn shows the prompt as the agent got it, its tools, its calls and its end", () => {
    const { sees, answers, pass, underneath } = start();
    sees({ type: "agent_start", turnId: TURN, face: "telegram" });
    const content = [{ type: "text", text: "p".repeat(30_000) }] as const;
    sees({ type: "message_start", key: "1", message: { key: "1", role: "user", at: 0, content } });
    sees({ type: "message_start", key: "2", message: { key: "2", role: "assistant", at: 0, content: [] } });
    sees({ type: "tool_execution_start", toolCallId: "t", toolName: "bash", summary: "ls" });
    answers("sendMessage", { result: { message_id: 5 } });
    answers("editMessageText", { payload: { message_id: 5 } });
    answers("editMessageText", { payload: { message_id: 5 } });
    answers("deleteMessage", { payload: { message_id: 5 } });
    answers("sendChatAction");
    pass(700);
    sees({ type: "agent_end", turnId: TURN, outcome: { type: "done" } });
    expect(underneath.steps).toMatchObject([
      {
        kind: "turn",
        prompt: { text: "p".repeat(20_000), length: 30_000 },
        tools: ["bash: ls"],
        sent: 1,
        edited: 2,
        deleted: 1,
        endedAt: 1_700,
        outcome: { type: "done" },
      },
    ]);
  });

  test("a late edit counts for the turn that sent the message", () => {
    const { sees, answers, underneath } = start();
    sees({ type: "agent_start", turnId: TURN, face: "telegram" });
    answers("sendMessage", { result: { message_id: 5 } });
    sees({ type: "agent_start", turnId: makeTurnId(), face: "telegram" });
    answers("editMessageText", { payload: { message_id: 5 } });
    expect(underneath.steps).toMatchObject([
      { sent: 1, edited: 1 },
      { sent: 0, edited: 0 },
    ]);
  });

  test("a refusal tells its reason, and when the rest that it asks for is over", () => {
    const { answers, underneath } = start();
    answers("sendMessage", { status: 429, description: "Too Many Requests: retry after 8" }, 8_000);
    answers("editMessageText", { status: 400, description: "Bad Request: no" });
    answers("editMessageText", { status: undefined, lost: true });
    expect(underneath.steps).toEqual([
      {
        id: 1,
        at: 1_000,
        kind: "refusal",
        words: "sendMessage was refused: Too Many Requests: retry after 8",
        until: 9_000,
      },
      { id: 2, at: 1_000, kind: "refusal", words: "editMessageText was refused: Bad Request: no" },
    ]);
  });

  test("each change is told as the whole step, and only the newest steps are kept", () => {
    const { arrives, told, underneath } = start();
    arrives({ text: "one" });
    arrives({ text: "two" });
    expect(told).toMatchObject([
      { id: 1, parts: { length: 1 } },
      { id: 1, parts: { length: 2 } },
    ]);
    for (let count = 0; count < 100; count += 1) underneath.remark(`${count}`);
    expect(underneath.steps).toHaveLength(80);
    expect(underneath.steps.at(-1)).toMatchObject({ words: "99" });
  });
});
