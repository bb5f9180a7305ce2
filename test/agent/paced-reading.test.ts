import { spawn } from "node:child_process";
import process from "node:process";
import { getDefaultHighWaterMark, Readable } from "node:stream";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { READ_EVERY, readPaced, READS_AT_ONCE, withoutReadAhead } from "../../src/agent/paced-reading.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

/** A pipe: what is written lies in it until the stream asks the system for more. */
function createPipe() {
  let lying = "";
  let isOver = false;
  let isAsked = false;
  const bring = (): void => {
    if (!isAsked || (lying === "" && !isOver)) return;
    isAsked = false;
    const brought = lying === "" ? null : lying;
    lying = "";
    stream.push(brought);
  };
  const stream = withoutReadAhead(
    () =>
      new Readable({
        read: () => {
          isAsked = true;
          bring();
        },
      }),
  );
  return {
    stream,
    write(text: string) {
      lying += text;
      bring();
    },
    end() {
      isOver = true;
      bring();
    },
  };
}

function setUp() {
  const clock = createFakeClock();
  const pipe = createPipe();
  const heard: string[] = [];
  const reading = readPaced({
    stream: pipe.stream,
    clock,
    onChunk: (chunk) => heard.push(chunk.toString()),
  });
  return { clock, pipe, heard, ...reading };
}

/** A pipe whose writer has just used up the reads that need not wait. */
async function setUpBusy() {
  const rig = setUp();
  for (let number = 1; number <= READS_AT_ONCE; number += 1) {
    rig.pipe.write(`${number}\n`);
    await rig.clock.settle();
  }
  return { ...rig, since: () => rig.heard.slice(READS_AT_ONCE) };
}

describe("reading what a program writes on and on", () => {
  test("is done at once after a pause, several times in a row", async () => {
    const { clock, pipe, heard } = setUp();
    for (let number = 1; number <= READS_AT_ONCE; number += 1) {
      pipe.write(`${number}\n`);
      await clock.settle();
      expect(heard).toHaveLength(number);
    }
  });

  test("is then done a twentieth of a second after the last time, for all that was written meanwhile", async () => {
    const { clock, pipe, since } = await setUpBusy();
    for (const line of ["a\n", "b\n", "c\n"]) {
      await clock.advance(15);
      pipe.write(line);
    }
    await clock.advance(READ_EVERY - 46);
    expect(since()).toEqual([]);
    await clock.advance(1);
    expect(since()).toEqual(["a\nb\nc\n"]);
    pipe.write("d\n");
    await clock.advance(READ_EVERY - 1);
    expect(since()).toHaveLength(1);
    await clock.advance(1);
    expect(since()).toEqual(["a\nb\nc\n", "d\n"]);
  });

  test("wakes nobody between two reads", async () => {
    const { clock, pipe, since } = await setUpBusy();
    await clock.advance(READ_EVERY);
    pipe.write("a\n");
    await clock.settle();
    expect(since()).toEqual(["a\n"]);
    let wakes = 0;
    pipe.stream.on("readable", () => (wakes += 1));
    for (let number = 1; number <= 5; number += 1) {
      pipe.write("more\n");
      await clock.settle();
    }
    expect(wakes).toBe(0);
  });

  test("does not wait in the middle of a line", async () => {
    const { clock, pipe, since } = await setUpBusy();
    await clock.advance(READ_EVERY);
    for (const piece of ["a", "b", "c\nd", "e\n"]) {
      pipe.write(piece);
      await clock.settle();
    }
    expect(since()).toEqual(["a", "b", "c\nd", "e\n"]);
  });

  test("does not wait after a full read, behind which more lies", async () => {
    const { clock, pipe, since } = await setUpBusy();
    await clock.advance(READ_EVERY);
    const full = `${"x".repeat(65_535)}\n`;
    for (const lines of [full, full, "rest\n"]) {
      pipe.write(lines);
      await clock.settle();
    }
    expect(since().map(({ length }) => length)).toEqual([65_536, 65_536, 5]);
  });

  test("is quick again after a pause", async () => {
    const { clock, pipe, since } = await setUpBusy();
    await clock.advance(READS_AT_ONCE * READ_EVERY);
    for (let number = 1; number <= READS_AT_ONCE; number += 1) {
      pipe.write(`${number}\n`);
      await clock.settle();
    }
    expect(since()).toHaveLength(READS_AT_ONCE);
  });

  test("waits for nothing any more once it has to hurry", async () => {
    const { clock, pipe, since, hurry } = await setUpBusy();
    pipe.write("last\n");
    await clock.settle();
    expect(since()).toEqual([]);
    hurry();
    await clock.settle();
    expect(since()).toEqual(["last\n"]);
    pipe.write("words\n");
    await clock.settle();
    expect(since()).toEqual(["last\n", "words\n"]);
  });

  test("ends where the writer ends", async () => {
    const { clock, pipe, since } = await setUpBusy();
    const ended = new Promise((resolve) => pipe.stream.once("end", () => resolve("ended")));
    pipe.write("last\n");
    pipe.end();
    await clock.advance(2 * READ_EVERY);
    expect(await ended).toBe("ended");
    expect(since()).toEqual(["last\n"]);
  });

  test("loses nothing and changes no order, however it is written, and never reads more often", async () => {
    const writes = fc.array(fc.tuple(fc.constantFrom("a", "b\n", "\n", "c\nd", "e\nf\n"), fc.nat(120)));
    await fc.assert(
      fc.asyncProperty(writes, async (pieces) => {
        const { clock, pipe, heard } = setUp();
        for (const [text, pause] of pieces) {
          pipe.write(text);
          await clock.advance(pause);
        }
        await clock.advance(READ_EVERY);
        expect(heard.join("")).toBe(pieces.map(([text]) => text).join(""));
        const whole = heard.filter((chunk) => chunk.endsWith("\n")).length;
        expect(whole).toBeLessThanOrEqual(READS_AT_ONCE + clock.now() / READ_EVERY);
      }),
    );
  });
});

describe("starting a program without read-ahead", () => {
  test("leaves in its pipes what nobody has asked for, and all other streams as they are", () => {
    const usual = getDefaultHighWaterMark(false);
    const child = withoutReadAhead(() => spawn(process.execPath, ["-e", ""]));
    expect(child.stdout.readableHighWaterMark).toBe(0);
    expect(getDefaultHighWaterMark(false)).toBe(usual);
  });

  test("leaves all other streams as they are when there is no such program", () => {
    const usual = getDefaultHighWaterMark(false);
    const start = (): never => {
      throw new Error("no such program");
    };
    expect(() => withoutReadAhead(start)).toThrow("no such program");
    expect(getDefaultHighWaterMark(false)).toBe(usual);
  });
});
