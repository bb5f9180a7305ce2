import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { createLog } from "../../src/log.ts";
import type { Message } from "../../src/playground/bot-api/shapes.ts";
import { createAttachments, LARGEST_DOWNLOAD, LARGEST_IMAGE } from "../../src/telegram/attachments.ts";
import type { FileReference } from "../../src/telegram/carried-file.ts";
import { toGrammy } from "../../src/telegram/signals.ts";
import { png } from "../builders.ts";
import { type ApiRig, startApiRig } from "./api-rig.ts";

const JPEG = Buffer.from(
  "ffd8ffe000104a46494600010100000100010000ffc0000b080001000101011100ffda0008010100003f00ffd9",
  "hex",
);
const GIF = Buffer.from(
  "47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b",
  "hex",
);
const WEBP = Buffer.from("524946461a000000574542505650384c0d0000002f00000010071011118888fe0700", "hex");
const WORDS = new TextEncoder().encode("only words");

async function setUp() {
  const rig = await startApiRig();
  const folder = await mkdtemp(join(tmpdir(), "evie-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const stream = new PassThrough();
  const written: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => written.push(chunk));
  const fetchAttachment = createAttachments({
    locate: async (fileId, signal) => (await rig.api.getFile(fileId, toGrammy(signal))).file_path ?? "",
    downloadRoot: `${rig.server.root}/file/bot${rig.server.token}`,
    folder,
    clock: rig.clock,
    // Without the secret: what is logged must not hold it in the first place.
    log: await createLog({ level: "debug", secrets: [], stream, pretty: false }),
  });
  return {
    ...rig,
    folder,
    fetchAttachment,
    logged: () => Buffer.concat(written).toString("utf8"),
    files: () => readdir(folder),
    /** What becomes of it, moving time on as long as it takes. */
    async settled(reference: FileReference, jumpMs?: number) {
      return awaiting(rig, fetchAttachment(reference).settled, jumpMs);
    },
  };
}

/** Real milliseconds in which disk and network must have done what they can. */
const QUIET = 60;

/** Moves time on by a jump whenever nothing happens any more by itself, until `work` is over. */
async function awaiting<Value>({ clock }: ApiRig, work: Promise<Value>, jumpMs = 10_000): Promise<Value> {
  const state = { over: false };
  void work.finally(() => (state.over = true));
  for (let jump = 0; jump < 100 && !state.over; jump += 1) {
    const until = performance.now() + QUIET;
    while (!state.over && performance.now() < until) await clock.settle();
    if (!state.over) await clock.advance(jumpMs);
  }
  return work;
}

function documentOf({ document }: Message, name?: string): FileReference {
  if (document === undefined) throw new Error("it has no document");
  const { file_id: fileId, file_name, file_size } = document;
  return {
    fileId,
    name: name ?? file_name ?? "file",
    ...(file_size === undefined ? {} : { size: file_size }),
  };
}

describe("a file that a person sent", () => {
  test.each([
    ["image/png", png(1), "holiday.png"],
    ["image/png", png(1), "lies.txt"],
    ["image/jpeg", JPEG, "lies.png"],
    ["image/gif", GIF, "lies.jpg"],
    ["image/webp", WEBP, "picture"],
  ])("is a picture (%s) by what is in it, whatever its name", async (mimeType, bytes, name) => {
    const rig = await setUp();
    const attached = await rig.settled(documentOf(rig.ada.sendDocument(bytes, { name })));
    if (attached.type !== "image") throw new Error(`it was taken for ${attached.type}`);
    expect(attached.image.mimeType).toBe(mimeType);
    expect(await readFile(attached.image.path)).toEqual(Buffer.from(bytes));
  });

  test("is no picture when only its name says so", async () => {
    const rig = await setUp();
    const attached = await rig.settled(documentOf(rig.ada.sendDocument(WORDS, { name: "fake.png" })));
    expect(attached).toMatchObject({ type: "file", file: { name: "fake.png", size: WORDS.length } });
    expect(attached).not.toHaveProperty("remark");
  });

  test("goes as a file, with a remark, when it is a picture of more than ten megabytes", async () => {
    const rig = await setUp();
    const picture = Buffer.concat([JPEG, Buffer.alloc(LARGEST_IMAGE - JPEG.length)]);
    const fits = await rig.fetchAttachment(documentOf(rig.ada.sendDocument(picture, { name: "a.jpg" })))
      .settled;
    expect(fits.type).toBe("image");
    const larger = Buffer.concat([picture, Buffer.alloc(1)]);
    const attached = await rig.fetchAttachment(documentOf(rig.ada.sendDocument(larger, { name: "b.jpg" })))
      .settled;
    expect(attached).toMatchObject({
      type: "file",
      file: { name: "b.jpg", size: LARGEST_IMAGE + 1 },
      remark: "a picture larger than 10 MB, so it comes as a file",
    });
  });

  test("goes as a file, with a remark, when it is a picture of more pixels than an agent can take", async () => {
    const rig = await setUp();
    const bomb = Buffer.from(png(0));
    bomb.writeUInt32BE(12_000, 16);
    bomb.writeUInt32BE(12_000, 20);
    const document = documentOf(rig.ada.sendDocument(bomb, { name: "a.png" }));
    expect(await rig.fetchAttachment(document).settled).toMatchObject({
      type: "file",
      file: { name: "a.png", size: bomb.length },
      remark: "a picture of 12000 x 12000 pixels, so it comes as a file",
    });
  });

  test.each([
    ["../../etc/passwd", ""],
    ["../../etc/odd name.TXT", ".txt"],
    ["a.b\u0000c", ""],
    ["x.verylongending1234", ""],
    [".hidden", ""],
    ["archive.tar.gz", ".gz"],
    ["evil.p?g", ""],
    ["\u202egpj.exe", ".exe"],
    ["", ""],
  ])("named %j is stored under a name of evie's own, for its owner alone", async (name, ending) => {
    const rig = await setUp();
    const attached = await rig.settled(documentOf(rig.ada.sendDocument(WORDS, { name: "x" }), name));
    if (attached.type !== "file") throw new Error("it is no file");
    expect(attached.file.path.slice(rig.folder.length)).toMatch(/^\/[0-9a-f-]{36}(\.[a-z0-9]+)?$/);
    expect(attached.file.path.endsWith(ending)).toBe(true);
    if (ending === "") expect(attached.file.path).not.toContain(".");
    expect(attached.file.name).toBe(name);
    expect((await stat(attached.file.path)).mode & 0o777).toBe(0o600);
  });

  test("that lies at an odd path is asked for there", async () => {
    const { clock, log, folder } = await setUp();
    const asked = Promise.withResolvers<string | undefined>();
    const server = createServer((request, response) => {
      asked.resolve(request.url);
      response.end(WORDS);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.close().closeAllConnections();
    });
    const fetchAttachment = createAttachments({
      locate: () => Promise.resolve("documents/file #1?x=%2e.txt"),
      downloadRoot: `http://127.0.0.1:${(server.address() as AddressInfo).port}/file/bot1:a`,
      folder,
      clock,
      log,
    });
    expect(await fetchAttachment({ fileId: "1", name: "x.txt" }).settled).toMatchObject({ type: "file" });
    expect(await asked.promise).toBe("/file/bot1:a/documents/file%20%231%3Fx%3D%252e.txt");
  });
});

describe("a file that cannot be had", () => {
  const tooLarge = "it is larger than 20 MB, the most that Telegram lets a bot download";

  test("because it is too large is refused before anything is asked", async () => {
    const rig = await setUp();
    const message = rig.ada.sendDocument(WORDS, { name: "big.bin", size: LARGEST_DOWNLOAD + 1 });
    expect(await rig.settled(documentOf(message))).toEqual({
      type: "missing",
      name: "big.bin",
      reason: tooLarge,
    });
    expect(rig.server.calls).toEqual([]);
  });

  test("because it is too large, which only Telegram knew, is asked for once", async () => {
    const rig = await setUp();
    const message = rig.ada.sendDocument(WORDS, { name: "big.bin", size: LARGEST_DOWNLOAD + 1 });
    const { fileId } = documentOf(message);
    expect(await rig.settled({ fileId, name: "big.bin" })).toMatchObject({ reason: tooLarge });
    expect(rig.server.callsOf("getFile")).toHaveLength(1);
  });

  test("because more comes than a bot may download is dropped", async () => {
    const rig = await setUp();
    const message = rig.ada.sendDocument(Buffer.alloc(LARGEST_DOWNLOAD + 1), { name: "big.bin", size: 5 });
    const attached = await rig.fetchAttachment(documentOf(message)).settled;
    expect(attached).toMatchObject({ type: "missing", reason: tooLarge });
    expect(await rig.files()).toEqual([]);
  });

  test("because Telegram does not know it is asked for once", async () => {
    const rig = await setUp();
    expect(await rig.settled({ fileId: "nothing", name: "gone.txt" })).toEqual({
      type: "missing",
      name: "gone.txt",
      reason: "the download failed",
    });
    expect(rig.server.callsOf("getFile")).toHaveLength(1);
  });

  test.each([
    { kind: "missing" },
    { kind: "status", status: 500 },
    { kind: "truncated", bytes: 3 },
    { kind: "lie", contentLength: 3 },
    { kind: "lie", contentLength: 99 },
    { kind: "hang", bytes: 3 },
    { kind: "hang", bytes: 0 },
  ] as const)("(%o) is tried three times and leaves nothing behind", async (fault) => {
    const rig = await setUp();
    const active = rig.server.faults.files(fault);
    const attached = await rig.settled(documentOf(rig.ada.sendDocument(WORDS, { name: "a.txt" })));
    expect(attached).toEqual({ type: "missing", name: "a.txt", reason: "the download failed" });
    expect(active.hits).toBe(3);
    expect(await rig.files()).toEqual([]);
    expect(rig.clock.sleepers).toBe(0);
    expect(rig.logged()).toContain("a file could not be fetched");
    expect(rig.logged()).not.toContain(rig.server.token);
    expect(rig.logged()).not.toContain("/file/");
  });

  test("because nobody is there says so without the address", async () => {
    const rig = await setUp();
    const reference = documentOf(rig.ada.sendDocument(WORDS, { name: "a.txt" }));
    const outage = await rig.server.faults.outage();
    expect(await rig.settled(reference)).toMatchObject({ type: "missing", reason: "the download failed" });
    await outage.end();
    expect(rig.logged()).not.toContain(rig.server.token.split(":")[1]);
  });

  test("because its folder is gone is missing, and nothing breaks", async () => {
    const rig = await setUp();
    await rm(rig.folder, { recursive: true });
    const attached = await rig.settled(documentOf(rig.ada.sendDocument(WORDS, { name: "a.txt" })));
    expect(attached).toMatchObject({ type: "missing", reason: "the download failed" });
  });
});

describe("a file on a bad way", () => {
  test.each([
    { kind: "truncated", bytes: 3, times: 2 },
    { kind: "missing", times: 1 },
    { kind: "hang", bytes: 2, times: 1 },
  ] as const)("(%o) arrives whole in the end", async (fault) => {
    const rig = await setUp();
    rig.server.faults.files(fault);
    const attached = await rig.settled(documentOf(rig.ada.sendDocument(WORDS, { name: "a.txt" })));
    if (attached.type !== "file") throw new Error(`it is ${attached.type}`);
    expect(await readFile(attached.file.path, "utf8")).toBe("only words");
    expect(rig.logged()).toBe("");
  });

  test("may be slow as long as something comes", async () => {
    const rig = await setUp();
    rig.server.faults.files({ kind: "slow", bytesPerSecond: 0.1 });
    const reference = documentOf(rig.ada.sendDocument(WORDS.subarray(0, 4), { name: "a.txt" }));
    const before = rig.clock.now();
    const attached = await rig.settled(reference, 5_000);
    expect(attached.type).toBe("file");
    expect(rig.clock.now() - before).toBeGreaterThan(30_000);
    expect(rig.server.callsOf("getFile")).toHaveLength(1);
  });

  test("whose place Telegram does not tell in time is asked for again", async () => {
    const rig = await setUp();
    rig.server.faults.calls({ kind: "hang", when: "before", methods: "getFile", times: 1 });
    const reference = documentOf(rig.ada.sendDocument(WORDS, { name: "a.txt" }));
    const attached = await rig.settled(reference, 5_000);
    expect(attached.type).toBe("file");
    expect(rig.clock.now()).toBeGreaterThanOrEqual(15_000);
    expect(rig.clock.now()).toBeLessThan(30_000);
  });

  test("is asked for again when Telegram's rest is over, unless that takes more than a minute", async () => {
    const rig = await setUp();
    rig.server.faults.calls({ kind: "flood", retryAfter: 20, methods: "getFile", times: 1 });
    const attached = await rig.settled(documentOf(rig.ada.sendDocument(WORDS, { name: "a.txt" })));
    expect(attached.type).toBe("file");
    const [first, second] = rig.server.callsOf("getFile").map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(20_000);

    rig.server.faults.calls({ kind: "flood", retryAfter: 61, methods: "getFile", times: 1 });
    const late = await rig.settled(documentOf(rig.ada.sendDocument(WORDS, { name: "b.txt" })));
    expect(late).toMatchObject({ type: "missing", reason: "the download failed" });
  });
});

describe("letting go", () => {
  test("after its end removes a picture, and keeps any other file", async () => {
    const rig = await setUp();
    const picture = rig.fetchAttachment(documentOf(rig.ada.sendDocument(png(4), { name: "a.png" })));
    const words = rig.fetchAttachment(documentOf(rig.ada.sendDocument(WORDS, { name: "a.txt" })));
    await awaiting(rig, Promise.all([picture.settled, words.settled]));
    expect(await rig.files()).toHaveLength(2);
    expect(picture.released).toBe(false);
    const names = [...rig.fetchAttachment.inUse].map((path) => basename(path));
    expect(names.sort()).toEqual((await rig.files()).toSorted());
    for (const each of [picture, words, picture]) each.release();
    expect([picture.released, words.released]).toEqual([true, true]);
    expect(rig.fetchAttachment.inUse.size).toBe(0);
    for (let round = 0; round < 200 && (await rig.files()).length > 1; round += 1) await rig.clock.settle();
    expect(await rig.files()).toEqual([expect.stringMatching(/\.txt$/)]);
  });

  test.each([
    ["while its place is asked for", "getFile"],
    ["while it is on its way", "download"],
    ["at once", "nothing"],
  ])("%s stops the download and leaves nothing behind", async (_, when) => {
    const rig = await setUp();
    if (when === "getFile") rig.server.faults.calls({ kind: "hang", when: "before", methods: "getFile" });
    const hang = rig.server.faults.files({ kind: "hang", bytes: 4 });
    const attachment = rig.fetchAttachment(documentOf(rig.ada.sendDocument(png(4), { name: "a.png" })));
    if (when === "getFile") await rig.called("getFile");
    if (when === "download") {
      await rig.advanceUntil(() => hang.hits === 1, 0);
      for (let round = 0; round < 20; round += 1) await rig.clock.settle();
    }
    attachment.release();
    expect(await attachment.settled).toMatchObject({ type: "missing", name: "a.png" });
    expect(await rig.files()).toEqual([]);
    expect(rig.clock.sleepers).toBe(0);
    // Nobody misses it, so nobody is told.
    expect(rig.logged()).toBe("");
  });

  test("between two tries ends the wait", async () => {
    const rig = await setUp();
    rig.server.faults.files({ kind: "missing" });
    const attachment = rig.fetchAttachment(documentOf(rig.ada.sendDocument(png(4), { name: "a.png" })));
    await rig.advanceUntil(() => rig.server.callsOf("getFile").length === 1 && rig.clock.sleepers === 1, 0);
    for (let round = 0; round < 20; round += 1) await rig.clock.settle();
    attachment.release();
    await attachment.settled;
    expect(rig.server.callsOf("getFile")).toHaveLength(1);
    expect(rig.clock.sleepers).toBe(0);
  });
});
