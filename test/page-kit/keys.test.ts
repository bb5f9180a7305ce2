import { describe, expect, test } from "vitest";
import { createKeys, keyIn, type Shelf } from "../../src/page-kit/keys.ts";

function shelf(first?: string): Shelf & { readonly texts: Map<string, string> } {
  const texts = new Map(first === undefined ? [] : [["k", first]]);
  return {
    texts,
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, text) => texts.set(name, text),
  };
}

describe("the key in an address", () => {
  test.each([
    ["http://127.0.0.1:3843/#key=evie-deck-abc", { key: "evie-deck-abc", rest: "/" }],
    ["http://127.0.0.1:3843/s/s-1#key=abc", { key: "abc", rest: "/s/s-1" }],
    ["http://127.0.0.1:3843/s/s-1?key=abc", { key: "abc", rest: "/s/s-1" }],
    ["https://evie.example/?utm=1#key=abc&more=2", { key: "abc", rest: "/" }],
    ["http://127.0.0.1:3843/?key=old#key=new", { key: "new", rest: "/" }],
    ["http://127.0.0.1:3843/", undefined],
    ["http://127.0.0.1:3843/#", undefined],
    ["http://127.0.0.1:3843/#key=", undefined],
    ["http://127.0.0.1:3843/#key=a%20b", undefined],
    ["http://127.0.0.1:3843/#key=%E0%A4%A", undefined],
    ["http://127.0.0.1:3843/#monkey=abc", undefined],
  ])("%s is %j", (address, found) => {
    expect(keyIn(address)).toEqual(found);
  });
});

describe("the keys of an origin", () => {
  test("are kept once the server has taken them, and found again by the next page", () => {
    const kept = shelf();
    const keys = createKeys(() => kept, "k");
    expect(keys.current()).toBeUndefined();
    keys.offer("new");
    expect([keys.current(), kept.texts.size]).toEqual(["new", 0]);
    keys.taken();
    expect(kept.texts.get("k")).toBe("new");
    expect(createKeys(() => kept, "k").current()).toBe("new");
  });

  test("are not replaced by one that the server refuses, wherever a link with it came from", () => {
    const kept = shelf("good");
    const keys = createKeys(() => kept, "k");
    keys.offer("bad");
    expect(keys.current()).toBe("bad");
    expect(keys.refused()).toBe(true);
    expect(keys.current()).toBe("good");
    expect(keys.refused()).toBe(false);
  });

  test("are none where the only one was refused", () => {
    const keys = createKeys(() => shelf(), "k");
    keys.offer("bad");
    expect([keys.refused(), keys.current()]).toEqual([false, undefined]);
  });

  test("are those that another tab was given meanwhile", () => {
    const kept = shelf("old");
    const keys = createKeys(() => kept, "k");
    kept.texts.set("k", "new");
    expect(keys.current()).toBe("new");
  });

  test("are good for as long as the page lives where the browser lets it keep nothing", () => {
    const keys = createKeys(() => {
      throw new Error("SecurityError");
    }, "k");
    keys.offer("new");
    keys.taken();
    expect(keys.current()).toBe("new");
  });
});
