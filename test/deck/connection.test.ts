import fc from "fast-check";
import { expect, test } from "vitest";
import { createConnection, type SocketEvents, waitBefore } from "../../src/deck/connection.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

interface FakeSocket extends SocketEvents {
  readonly sent: string[];
  closed: number;
}

/** `others` are keys to come with when one is refused. */
function connect(random = 0, { keyless = false, others = [] as string[] } = {}) {
  const clock = createFakeClock();
  const sockets: FakeSocket[] = [];
  const links: string[] = [];
  const texts: string[] = [];
  const connection = createConnection({
    clock,
    random: () => random,
    dial: (events) => {
      if (keyless) return undefined;
      const socket: FakeSocket = { ...events, sent: [], closed: 0 };
      sockets.push(socket);
      return { send: (text) => socket.sent.push(text), close: () => (socket.closed += 1) };
    },
    onText: (text) => texts.push(text),
    onLink: (link) => links.push(link),
    onRefused: () => others.pop() !== undefined,
  });
  return { clock, sockets, links, texts, connection, socket: (at: number) => sockets.at(at) };
}

test("it is open from the greeting on, and what is said before is not sent", () => {
  const { connection, socket, links } = connect();
  connection.send({ type: "ping" });
  connection.greeted();
  connection.send({ type: "abort", sessionId: "s" });
  expect(links).toEqual(["connecting", "open"]);
  expect(socket(0)?.sent).toEqual(['{"type":"abort","sessionId":"s"}']);
});

test("a socket that closes is dialled again, later each time, and soon again after a greeting", async () => {
  const { clock, sockets, socket, connection } = connect(1);
  const gaps: number[] = [];
  for (const wait of [1_000, 2_000, 4_000, 8_000, 8_000]) {
    socket(-1)?.onClose("gone");
    const before = sockets.length;
    await clock.advance(wait - 1);
    expect(sockets).toHaveLength(before);
    await clock.advance(1);
    gaps.push(sockets.length - before);
  }
  connection.greeted();
  socket(-1)?.onClose("gone");
  await clock.advance(1_000);
  expect([...gaps, sockets.length]).toEqual([1, 1, 1, 1, 1, 7]);
});

test("the wait before an attempt is always between half a second and eight", () => {
  fc.assert(
    fc.property(fc.nat(60), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
      const wait = waitBefore(attempt, random);
      return wait >= 500 && wait <= 8_000;
    }),
  );
  expect(waitBefore(0, 0)).not.toBe(waitBefore(0, 0.9));
});

test("18 s without a frame mean that nobody is there; any frame puts that off", async () => {
  const { clock, socket, links, connection } = connect();
  connection.greeted();
  await clock.advance(17_000);
  socket(0)?.onText("{}");
  await clock.advance(17_900);
  expect(links.at(-1)).toBe("open");
  await clock.advance(100);
  expect(links.at(-1)).toBe("waiting");
  expect(socket(0)?.closed).toBe(1);
});

test("a socket that was given up is not listened to any more", async () => {
  const { clock, socket, sockets, texts } = connect();
  await clock.advance(18_500);
  expect(sockets).toHaveLength(2);
  socket(0)?.onText("late");
  socket(0)?.onClose("gone");
  await clock.advance(1_000);
  expect(texts).toEqual([]);
  expect(sockets).toHaveLength(2);
});

test("a nudge ends the wait, and asks an open socket whether it lives", async () => {
  const { clock, socket, sockets, links, connection } = connect(1);
  socket(0)?.onClose("gone");
  await clock.settle();
  connection.nudge();
  await clock.settle();
  expect(sockets).toHaveLength(2);
  connection.greeted();
  connection.nudge();
  expect(socket(1)?.sent).toEqual(['{"type":"ping"}']);
  await clock.advance(4_000);
  expect(links.at(-1)).toBe("waiting");
});

test("a nudge that is answered leaves everything as it is", async () => {
  const { clock, socket, links, connection } = connect();
  connection.greeted();
  connection.nudge();
  socket(0)?.onText('{"type":"pong"}');
  await clock.advance(17_000);
  expect(links.at(-1)).toBe("open");
});

test("closed, it stays closed", async () => {
  const { clock, sockets, connection, socket } = connect();
  connection.close();
  await clock.advance(60_000);
  expect(sockets).toHaveLength(1);
  expect(socket(0)?.closed).toBe(1);
  expect(clock.sleepers).toBe(0);
});

test("a page without a key dials nobody, and one whose key is refused rests until there is reason to look again", async () => {
  const without = connect(0, { keyless: true });
  await without.clock.advance(60_000);
  expect([without.links, without.sockets]).toEqual([["connecting", "no key"], []]);

  const { clock, socket, sockets, links, connection } = connect();
  connection.greeted();
  socket(0)?.onClose("refused");
  await clock.advance(60_000);
  expect([links, sockets.length]).toEqual([["connecting", "open", "refused"], 1]);
  connection.nudge();
  await clock.settle();
  expect([links.at(-1), sockets.length]).toEqual(["connecting", 2]);
});

test("where one key is refused and there is another, that one is tried at once", async () => {
  const { clock, socket, sockets, links } = connect(0, { others: ["other"] });
  socket(0)?.onClose("refused");
  await clock.settle();
  expect([links, sockets.length]).toEqual([["connecting"], 2]);
});

test("a connection that is renewed dials again, though nothing was wrong with it", async () => {
  const { clock, socket, sockets, connection } = connect();
  connection.greeted();
  connection.renew();
  await clock.advance(500);
  expect([sockets.length, socket(0)?.closed]).toEqual([2, 1]);
});
