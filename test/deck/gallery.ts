import type { ClientFrame, ServerFrame, SessionInfo } from "../../src/domain/wire.ts";
import { assistant } from "../domain/events.ts";
import { ANSWER, DIFF } from "./gallery-texts.ts";
import { answered, answers, info, result, scene, user } from "./scenes.ts";

const MINUTE = 60_000;

/** Sessions to look at, as they were at `now`. */
export function gallery(now: number): {
  readonly sessions: readonly SessionInfo[];
  readonly answer: (frame: ClientFrame) => readonly ServerFrame[];
} {
  const at = now - 3 * MINUTE;
  const thinking = { type: "thinking" as const, text: "The last line is lost. Where does the rest go?" };
  const text = scene("text", {
    snapshot: {
      name: "Why is the last line lost?",
      model: "sonnet",
      usage: { input: 8_400, output: 2_150, cacheRead: 31_000, cacheWrite: 900, cost: 0.4213 },
      before: "older",
      messages: [
        {
          ...user(
            "u-1",
            "My parser loses the last line of some files. Have a look?\n\nThis is how it should look:",
            at,
          ),
          content: [
            { type: "text", text: "My parser loses the last line of some files. Have a look?" },
            { type: "image", mimeType: "image/svg+xml", url: "/pictures/1" },
          ],
        },
        { ...answered("a-1", thinking, ANSWER), at },
        user("u-2", "Do it.", at),
        {
          ...assistant("a-2", [], {
            stopReason: "error",
            error: "The model could not answer: overloaded, try again later.",
          }),
          at,
        },
      ],
    },
  });
  const call = (id: string, name: string, args: object) => ({
    type: "toolCall" as const,
    id,
    name,
    args: JSON.stringify(args),
  });
  const tools = scene("tools", {
    snapshot: {
      name: "Mend the parser",
      state: "running",
      usage: { input: 18_400, output: 5_150, cacheRead: 131_000, cacheWrite: 900, cost: 1.2 },
      turn: { id: "t-1", startedAt: at },
      queue: [{ requestId: "r-9", text: "And then write a line about it in the changelog, please." }],
      messages: [
        user("u-1", "Mend it, run the tests, and tell me what they say.", at),
        {
          ...answered(
            "a-1",
            thinking,
            "I look at the file first.",
            call("t-1", "read", { path: "src/parse.ts" }),
            { type: "toolCall", id: "t-2", name: "edit", args: DIFF },
            call("t-3", "bash", { command: "npm test -- parse" }),
          ),
          at,
        },
        result("t-1", "read", "export async function* lines() {}"),
        result("t-2", "edit", "Applied 1 edit."),
        result("t-3", "bash", "\u001b[31m✗\u001b[0m loses the last line\n\nCommand exited with code 1", true),
      ],
      tools: [
        {
          id: "t-1",
          name: "read",
          summary: "src/parse.ts",
          startedAt: at,
          endedAt: at + 40,
          output: "",
          isError: false,
        },
        {
          id: "t-2",
          name: "edit",
          summary: "src/parse.ts",
          startedAt: at,
          endedAt: at + 80,
          output: "",
          isError: false,
        },
        {
          id: "t-3",
          name: "bash",
          summary: "npm test -- parse",
          startedAt: at,
          endedAt: at + 12_400,
          output: "",
          isError: true,
        },
      ],
    },
    seq: 10,
    events: [
      { seq: 11, at, type: "turn_start" },
      {
        seq: 12,
        at,
        type: "message_start",
        key: "a-2",
        message: {
          ...answered(
            "a-2",
            "One test still fails. I run it alone to see why.",
            call("t-4", "bash", {
              command: "npx vitest run test/parse.test.ts --reporter=verbose\necho done",
            }),
          ),
          at,
        },
      },
      {
        seq: 13,
        at: now - 65_000,
        type: "tool_execution_start",
        toolCallId: "t-4",
        toolName: "bash",
        summary: "npx vitest run test/parse.test.ts --reporter=verbose …",
      },
      {
        seq: 14,
        at,
        type: "tool_execution_update",
        toolCallId: "t-4",
        toolName: "bash",
        output: "RUN v5.1.2\n",
      },
    ],
  });
  const asks = scene("asks", {
    snapshot: {
      name: "Plan the move to the new parser",
      state: "waiting",
      model: "sonnet",
      usage: { input: 3_400, output: 950, cacheRead: 11_000, cacheWrite: 900, cost: 0.08 },
      turn: { id: "t-1", startedAt: at },
    },
    seq: 4,
    questions: [
      {
        id: "q-1",
        kind: "select",
        title: "How shall the old parser go?",
        message: "Both can live side by side for a while; that means two code paths to test.",
        options: ["Replace it in one go", "Keep both behind a setting", "Leave it, and stop here"],
        expiresAt: now + 4 * MINUTE,
      },
    ],
    events: [
      { seq: 5, at, type: "turn_start" },
      {
        seq: 6,
        at,
        type: "message_start",
        key: "u-1",
        message: user("u-1", "Plan the move to the new parser. Ask me where you are unsure.", at),
      },
      {
        seq: 7,
        at,
        type: "message_start",
        key: "a-1",
        message: {
          ...answered(
            "a-1",
            thinking,
            "The old parser is used in **three places**:\n\n- `src/read.ts`, for files\n- `src/rpc.ts`, for pipes\n- `test/fakes/agent.ts`, where it does not matter\n\nThe first two can move without anybody noticing. Before I write the plan, one question.",
            call("t-1", "ask", { title: "How shall the old parser go?" }),
          ),
          at,
        },
      },
      {
        seq: 8,
        at,
        type: "tool_execution_start",
        toolCallId: "t-1",
        toolName: "ask",
        summary: "How shall the old parser go?",
      },
    ],
  });
  const scenes = [text, tools, asks];
  const sessions = [
    info("asks", {
      name: "Plan the move to the new parser",
      state: "waiting",
      updatedAt: now - 20_000,
      face: "telegram",
    }),
    info("tools", { name: "Mend the parser", state: "running", updatedAt: now - 2_000 }),
    info("text", { name: "Why is the last line lost?", updatedAt: now - 42 * MINUTE, face: "telegram" }),
    info("nightly", {
      name: "Nightly report",
      state: "failed",
      updatedAt: now - 9 * 60 * MINUTE,
      face: "http",
      cwd: "/home/ada/reports",
    }),
    info("old", {
      name: "A word about the weather, and about everything else that came to mind",
      updatedAt: now - 50 * 60 * MINUTE,
      face: "http",
      cwd: "/home/ada/weather",
    }),
  ];
  return { sessions, answer: answers(...scenes) };
}
