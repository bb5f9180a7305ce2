import { describe, expect, test } from "vitest";
import { createDraft, releaseParts } from "../../src/telegram/draft.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createHandAttachment } from "./chat-rig.ts";

const image = (path: string) => ({ type: "image", image: { mimeType: "image/png", path } }) as const;

describe("the draft of a burst", () => {
  test("is ready at once when no file is on its way", async () => {
    const { ready } = createDraft([
      { sources: [1], messageId: 1, text: "one" },
      { sources: [2], messageId: 2, text: "two", context: "[Forwarded]" },
    ]);
    await expect(ready).resolves.toEqual({ text: "one\n\n[Forwarded]\ntwo", images: [], files: [] });
  });

  test("is ready when all its files have settled, each at its own place, whichever came first", async () => {
    const clock = createFakeClock();
    const [slow, quick] = [
      createHandAttachment({ fileId: "1", name: "1" }),
      createHandAttachment({ fileId: "2", name: "2" }),
    ];
    const { ready } = createDraft([
      { sources: [1], messageId: 1, text: "one", attachment: slow },
      { sources: [2], messageId: 2, text: "two", attachment: quick },
    ]);
    let settled = false;
    const noted = ready.then(() => (settled = true));
    quick.settle(image("/2"));
    await clock.settle();
    expect(settled).toBe(false);
    slow.settle(image("/1"));
    await noted;
    expect((await ready).images.map(({ path }) => path)).toEqual(["/1", "/2"]);
  });

  test("names what could not be had, and keeps the rest", async () => {
    const lost = createHandAttachment({ fileId: "1", name: "a.pdf" });
    const { ready } = createDraft([
      { sources: [1], messageId: 1, text: "read this", attachment: lost },
      { sources: [2], messageId: 2, text: "please" },
    ]);
    lost.settle({ type: "missing", name: "a.pdf", reason: "the download failed" });
    await expect(ready).resolves.toMatchObject({
      text: 'read this\n\n[File "a.pdf" is missing: the download failed]\n\nplease',
    });
  });

  test("brings the file of a message replied to, and waits for it", async () => {
    const replied = createHandAttachment({ fileId: "1", name: "photo.jpg" });
    const draft = createDraft([{ sources: [1], messageId: 2, text: "why?", replied }]);
    replied.settle(image("/1"));
    expect((await draft.ready).images.map(({ path }) => path)).toEqual(["/1"]);
    expect(replied.released).toBe(false);
    draft.release();
    expect(replied.released).toBe(true);
  });

  test("brings a file once where parts have it and reply to it, whichever message's id it goes by", async () => {
    const own = createHandAttachment({ fileId: "1", uniqueId: "u", name: "photo.jpg" });
    const again = createHandAttachment({ fileId: "2", uniqueId: "u", name: "photo.jpg" });
    const other = createHandAttachment({ fileId: "3", name: "photo.jpg" });
    const twice = createHandAttachment({ fileId: "3", name: "photo.jpg" });
    const { ready } = createDraft([
      { sources: [1], messageId: 1, text: "", attachment: own },
      { sources: [2], messageId: 2, text: "this?", replied: again },
      { sources: [3], messageId: 3, text: "or this?", replied: other },
      { sources: [4], messageId: 4, text: "or this again?", replied: twice },
    ]);
    own.settle(image("/1"));
    other.settle(image("/3"));
    expect((await ready).images.map(({ path }) => path)).toEqual(["/1", "/3"]);
    expect([own, again, other, twice].map(({ released }) => released)).toEqual([false, true, false, true]);
  });

  test("lets go of every file when it is released", () => {
    const attachments = ["1", "2"].map((name) => createHandAttachment({ fileId: name, name }));
    const parts = [
      { sources: [0], messageId: 0, text: "" },
      ...attachments.map((attachment, messageId) => ({
        sources: [messageId],
        messageId,
        text: "",
        attachment,
      })),
    ];
    createDraft(parts).release();
    expect(attachments.map(({ released }) => released)).toEqual([true, true]);
    expect(() => releaseParts(parts)).not.toThrow();
  });
});
