import { describe, expect, test } from "vitest";
import { chooseStep } from "../../../src/playground/stand-in-model/reply.ts";
import type { ModelRequest, SeenImage, SeenMessage } from "../../../src/playground/stand-in-model/request.ts";

function message(role: string, text: string, images: readonly SeenImage[] = []): SeenMessage {
  return { role, text, images };
}

function request(...messages: readonly SeenMessage[]): ModelRequest {
  return { model: "m", tools: ["read", "bash"], messages: [message("system", "You are kind."), ...messages] };
}

function answerTo(text: string) {
  return chooseStep(request(message("user", text)));
}

describe("an order", () => {
  const order = message("user", 'go MOCK[{"text":"a"},{"text":"b"}]');

  test("is answered step by step, and ends politely", () => {
    const called = message("assistant", "a");
    expect(chooseStep(request(order))).toEqual({ text: "a" });
    expect(chooseStep(request(order, called, message("tool", "x")))).toEqual({ text: "b" });
    expect(chooseStep(request(order, called, message("tool", "x"), called))).toEqual({ text: "done." });
  });

  test("counts only in the last message", () => {
    const next = message("user", "MOCK[]");
    expect(chooseStep(request(order, message("assistant", "a"), next))).toEqual({ text: "done." });
    expect(chooseStep(request(order, message("assistant", "a"), message("user", "hi"))).text).toContain(
      "`hi`",
    );
  });
});

describe("without an order it speaks as a stand-in", () => {
  test("it tells what reached it", () => {
    const images = [
      { mimeType: "image/png", size: 900, sha256: "" },
      { mimeType: "image/jpeg", size: 12_345, sha256: "" },
    ];
    const { text } = chooseStep(request(message("user", "first `part`\n\nsecond\nline 👩‍👩‍👧‍👦", images)));
    expect(text).toContain("37 characters in 2 parts");
    expect(text).toContain("1. 12 characters: `first 'part'`");
    expect(text).toContain("`second line 👩‍👩‍👧‍👦`");
    expect(text).toContain("2 pictures");
    expect(text).toContain("image/png, 900 bytes");
    expect(text).toContain("image/jpeg, 12.3 kB");
  });

  test("pictures alone are told too, and a long part is quoted by its beginning", () => {
    const alone = chooseStep(request(message("user", "", [{ mimeType: "image/gif", size: 1, sha256: "" }])));
    expect(alone.text).toContain("no characters in no parts");
    expect(alone.text).toContain("1 picture:");
    expect(alone.text).toContain("1 byte");
    expect(answerTo("x".repeat(5000)).text).toContain(`\`${"x".repeat(60)}…\``);
  });

  test.each([
    "markdown",
    "Markdown",
    " long ",
    "think.",
    "fail",
    "help!",
    "tool",
    "run ls",
    "two parts\n\nhelp",
  ])("%j is a word that it understands", (text) => {
    expect(answerTo(text).text ?? "").not.toContain("but I can tell what reached me");
  });

  test.each([
    "long time no see",
    "running",
    "run",
    "please\nrun ls\nnow",
    "run ls\n\nand tell me",
    "I think",
  ])("%j is no order", (text) => {
    expect(answerTo(text).text).toContain("but I can tell what reached me");
  });

  test("the long answer fills several pages", () => {
    expect(answerTo("long").text?.length).toBeGreaterThan(3 * 4096);
  });

  test("the sample of markdown closes what it opens", () => {
    expect(answerTo("markdown").text?.match(/```/g)).toHaveLength(4);
  });

  test("it fails for as long as the agent retries", () => {
    expect(answerTo("fail")).toEqual({ status: 500 });
  });

  test("it runs a command and reports what it said, backticks and all", () => {
    const asked = message("user", "run echo '```'");
    expect(chooseStep(request(asked)).tools).toEqual([{ name: "bash", args: { command: "echo '```'" } }]);
    const ran = [message("assistant", "I will run that."), message("tool", "```\n")];
    expect(chooseStep(request(asked, ...ran)).text).toContain("````\n```\n````");
  });

  test("without a shell it says that it cannot run anything", () => {
    const step = chooseStep({ ...request(message("user", "run ls")), tools: ["read"] });
    expect(step.tools).toBeUndefined();
    expect(step.text).toContain("no bash tool");
  });
});

test("an agent that shortens its history gets a summary, whatever the messages order", () => {
  const step = chooseStep({
    model: "m",
    tools: [],
    messages: [
      message("system", "You are a context summarization assistant."),
      message("user", '<conversation>MOCK{"text":"a"}</conversation>'),
    ],
  });
  expect(step.text).toContain("Summary");
});
