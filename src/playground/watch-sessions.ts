import type { Session, Sessions, SessionSink } from "../domain/sessions.ts";

/** The same sessions, with `sink` attached to each of them once, when it is first used. */
export function watchSessions(sessions: Sessions, sink: SessionSink): Sessions {
  const watched = new WeakSet<Session>();
  const watch = (session: Session): Session => {
    if (!watched.has(session)) session.attach(sink);
    watched.add(session);
    return session;
  };
  return {
    create: (options) => watch(sessions.create(options)),
    open(id) {
      const session = sessions.open(id);
      return session === undefined ? undefined : watch(session);
    },
  };
}
