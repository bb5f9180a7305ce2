import type { Message } from "../../src/domain/events.ts";
import type { ChatPlace, SessionId, TurnId } from "../../src/domain/ids.ts";
import type { KeptDraft, PromptImage } from "../../src/domain/prompt.ts";
import type { Ledgers, RequestLedger, SessionRecord } from "../../src/session/ledger.ts";

type Request = NonNullable<ReturnType<RequestLedger["get"]>>;

/** Ledgers that remember for as long as a test. Set `broken` to have every write fail, `noTurns` for those of new turns. */
export function createMemoryLedgers(records: readonly SessionRecord[] = []) {
  const sessions = new Map<SessionId, SessionRecord>(records.map((record) => [record.id, record]));
  const messages = new Map<SessionId, Message[]>();
  const requests = new Map<string, Request>();
  const pictures: { readonly session: SessionId; readonly image: PromptImage; readonly name: string }[] = [];
  const chats = new Map<SessionId, ChatPlace>();
  const state = { broken: false, noTurns: false };

  function write(): void {
    if (state.broken) throw new Error("the disk is full");
  }

  function change(session: SessionId, requestId: string, fields: Partial<Request>): void {
    write();
    const known = requests.get(`${session} ${requestId}`);
    if (known !== undefined) requests.set(`${session} ${requestId}`, { ...known, ...fields });
  }

  /** What was written down of turns, in order. */
  const turns: string[] = [];
  /** The prompts that were kept, however they ended. */
  const prompts = new Map<TurnId, readonly KeptDraft[]>();
  const ledgers: Ledgers = {
    sessions: {
      add(record) {
        write();
        sessions.set(record.id, { ...record, lastUsedAt: record.createdAt });
      },
      get: (id) => sessions.get(id),
      list: () => [...sessions.values()].sort((a, b) => b.lastUsedAt - a.lastUsedAt),
      note(id, facts) {
        write();
        const record = sessions.get(id);
        if (record !== undefined) sessions.set(id, { ...record, ...facts });
      },
      remove(id) {
        write();
        sessions.delete(id);
      },
    },
    messages: {
      save(session, message) {
        write();
        const all = messages.get(session) ?? [];
        const at = all.findIndex(({ key }) => key === message.key);
        messages.set(session, at === -1 ? [...all, message] : all.with(at, message));
      },
      forget(session, key) {
        messages.set(
          session,
          (messages.get(session) ?? []).filter((message) => message.key !== key),
        );
      },
      get: (session, key) => messages.get(session)?.find((message) => message.key === key),
      page(session, limit, before, bytes = Number.POSITIVE_INFINITY) {
        const all = messages.get(session) ?? [];
        const end = before === undefined ? all.length : all.findIndex(({ key }) => key === before);
        const older = all.slice(0, Math.max(0, end));
        const page: Message[] = [];
        let left = bytes;
        for (const message of older.toReversed().slice(0, limit)) {
          left -= JSON.stringify(message).length + 1;
          if (left < 0 && page.length > 0) break;
          page.unshift(message);
        }
        return { messages: page, more: older.length > page.length };
      },
    },
    requests: {
      get: (session, requestId) => requests.get(`${session} ${requestId}`),
      add(session, requestId, { turnId, body, at }) {
        write();
        requests.set(`${session} ${requestId}`, { turnId, body, at, begun: false });
      },
      begin: (session, requestId) => change(session, requestId, { begun: true }),
      end: (session, requestId, ending) => change(session, requestId, { ending }),
      of: (session, turnId) =>
        [...requests].flatMap(([key, request]) =>
          key.startsWith(`${session} `) && request.turnId === turnId && request.ending === undefined
            ? key.slice(session.length + 1)
            : [],
        ),
    },
    pictures: {
      keep(session, image) {
        write();
        const name = `picture-${pictures.length + 1}`;
        pictures.push({ session, image, name });
        return name;
      },
      drop(session) {
        for (const [at, picture] of pictures.entries())
          if (picture.session === session) pictures.splice(at, 1);
      },
    },
    turns: {
      flushed({ id, sources, prompt }, instead) {
        if (state.noTurns) throw new Error("the disk is full");
        if (prompt !== undefined) prompts.set(id, prompt);
        turns.push(`flushed ${sources.join()}`.trim());
        if (instead !== undefined) turns.push("given up");
      },
      handed: () => void turns.push("handed"),
      accepted: () => void turns.push("accepted"),
      ending: (_id, reason, said) => void turns.push(`ending ${reason} ${said.join("|")}`.trim()),
      ended: (_id, outcome, said) => void turns.push(`ended ${outcome.type} ${said.join("|")}`.trim()),
    },
    chatOf: (id) => chats.get(id),
  };
  return { turns, prompts, ledgers, sessions, messages, requests, pictures, chats, state };
}
