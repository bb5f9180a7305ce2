import { expect, test } from "vitest";
import type { SessionEvent } from "../../src/domain/events.ts";
import { makeSessionId, makeTurnId, type SessionId } from "../../src/domain/ids.ts";
import type { Session, Sessions, SessionSink } from "../../src/domain/sessions.ts";
import { watchSessions } from "../../src/playground/watch-sessions.ts";

const EVENT: SessionEvent = { type: "agent_start", turnId: makeTurnId(), face: "telegram", seq: 1, at: 0 };

test("every session is heard once, however often it is opened", () => {
  const sinks: SessionSink[] = [];
  const known = new Map<SessionId, Pick<Session, "id" | "attach">>();
  const make = (): Session => {
    const session = {
      id: makeSessionId(),
      attach: (sink: SessionSink) => {
        sinks.push(sink);
        return () => undefined;
      },
    };
    known.set(session.id, session);
    return session as Partial<Session> as Session;
  };
  const all: Pick<Sessions, "create" | "open"> = {
    create: make,
    open: (id) => known.get(id) as Session | undefined,
  };
  const heard: SessionEvent[] = [];
  const sessions = watchSessions(all, (event) => heard.push(event));

  const made = sessions.create({ face: "telegram" });
  expect(sessions.open(made.id)).toBe(made);
  expect(sessions.open(makeSessionId())).toBeUndefined();
  sessions.open(make().id);
  sinks.forEach((sink) => sink(EVENT));
  expect(heard).toEqual([EVENT, EVENT]);
});
