import { describe, expect, test } from "vitest";
import { createRpc } from "../../src/agent/rpc.ts";
import type { Answer, Rpc } from "../../src/agent/rpc.ts";

const END = { type: "exited", exit: { code: 1 } } as const;

function open(): { rpc: Rpc; written: string[]; ask: (type: string) => Answer[] } {
  const written: string[] = [];
  const rpc = createRpc((line) => written.push(line));
  const ask = (type: string): Answer[] => {
    const answers: Answer[] = [];
    rpc.request({ type }, (answer) => answers.push(answer));
    return answers;
  };
  return { rpc, written, ask };
}

describe("requests to a peer", () => {
  test("are written as one line each, with an id of their own", () => {
    const { rpc, written } = open();
    rpc.request({ type: "prompt", message: "a\nb" }, () => {});
    rpc.request({ type: "abort" }, () => {});
    expect(written).toEqual(['{"id":"1","type":"prompt","message":"a\\nb"}', '{"id":"2","type":"abort"}']);
  });

  test("are written without NUL and halves of characters, whatever they ask", () => {
    const { rpc, written } = open();
    rpc.request({ type: "prompt", message: "a\0b \ud83d 😀" }, () => {});
    expect(written).toEqual(['{"id":"1","type":"prompt","message":"ab \ufffd 😀"}']);
  });

  test("are answered by the response with their id, in any order, once", () => {
    const { rpc, ask } = open();
    const [first, second] = [ask("a"), ask("b")];
    expect(rpc.settle({ id: "2", command: "b", success: true, data: 5 })).toBe(true);
    expect(rpc.settle({ id: "1", command: "a", success: false, error: "no" })).toBe(true);
    expect(rpc.settle({ id: "1", command: "a", success: true })).toBe(false);
    expect(second).toEqual([{ type: "success", data: 5 }]);
    expect(first).toEqual([{ type: "failure", reason: "no" }]);
  });

  test("are answered by a refusal without an id that names their type, the oldest first", () => {
    const { rpc, ask } = open();
    const answers = [ask("abort"), ask("prompt"), ask("prompt")];
    expect(rpc.settle({ command: "prompt", success: false, error: "old" })).toBe(true);
    expect(answers).toEqual([[], [{ type: "failure", reason: "old" }], []]);
    expect(rpc.settle({ command: "parse", success: false, error: "what?" })).toBe(false);
    expect(rpc.settle({ command: "prompt", success: true })).toBe(false);
  });

  test("are all answered by the peer's end, and so is each one after it", () => {
    const { rpc, written, ask } = open();
    const answers = [ask("a"), ask("b")];
    rpc.close(END);
    rpc.close({ type: "exited", exit: { code: 2 } });
    answers.push(ask("c"));
    expect(answers).toEqual(Array.from({ length: 3 }, () => [{ type: "gone", end: END }]));
    expect(written).toHaveLength(2);
  });
});
