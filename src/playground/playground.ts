import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import type { SessionSink } from "../domain/sessions.ts";
import { startBotApi } from "./bot-api/start.ts";
import type { Page } from "./build-page.ts";
import { createChatFeed } from "./chat-feed.ts";
import { createActions } from "./server/actions.ts";
import { startPageServer } from "./server/page-server.ts";
import { startStandInModel } from "./stand-in-model.ts";
import { writeAgentFolder } from "./stand-in-model/agent-folder.ts";
import { createTroubles } from "./troubles.ts";
import { createUnderneath } from "./underneath.ts";
import type { AnsweredBy, Frame } from "./wire.ts";

export interface PlaygroundOptions {
  /** A folder of the playground's own, which exists. */
  readonly folder: string;
  /** The folder that its agent works in. */
  readonly workspace: string;
  /** The model of the person's own agent; without one, a stand-in answers. */
  readonly model: string | undefined;
  /** The page's port; without one, the first that is free. */
  readonly port?: number | undefined;
  readonly page: Page;
  /** Milliseconds of quiet after which evie flushes a burst. */
  readonly windowMs: number;
  readonly clock: Clock;
}

/** Telegram and a person who uses it, in a browser. */
export interface Playground {
  /** What evie takes for its Bot API and its one user. */
  readonly telegram: { readonly token: string; readonly apiRoot: string; readonly userId: number };
  /** What its agent needs in its environment. */
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly answeredBy: AnsweredBy;
  readonly port: number;
  readonly link: string;
  /** Shows the person what happens in a session. */
  readonly watch: SessionSink;
  /** From now on the page's link to the deck leads to that address, which carries a key. */
  leadToDeck(link: string): void;
  close(): Promise<void>;
}

/** Starts everything that a real bot has outside of evie. Rejects with a PortTakenError. */
export async function startPlayground(options: PlaygroundOptions): Promise<Playground> {
  const { clock, model } = options;
  const userId = randomInt(100_000_000, 2 ** 31);
  // Of an earlier playground, evie may remember updates: the numbering goes on where no earlier one has been.
  const api = await startBotApi({ clock, firstUpdateId: Math.floor(clock.date() / 1000) });
  const person = api.person({ id: userId, first_name: "You" });

  // Each part tells the page what has changed, and the page's server needs the parts: this breaks the ring.
  let tell: (frame: Frame) => void = () => undefined;
  let deck: string | undefined;
  const underneath = createUnderneath(
    () => clock.date(),
    (step) => tell({ type: "step", step }),
  );
  const feed = createChatFeed({ api, chatId: userId, clock, underneath, tell: (frame) => tell(frame) });
  const troubles = createTroubles(
    { api, clock },
    (state) => tell({ type: "troubles", troubles: state }),
    (words) => underneath.remark(words),
  );
  const answeredBy: AnsweredBy = model === undefined ? { kind: "stand-in" } : { kind: "model", name: model };

  const server = await startPageServer({
    page: options.page,
    port: options.port,
    clock,
    snapshot: () => ({
      type: "snapshot",
      now: clock.date(),
      snapshot: {
        bot: api.bot.first_name,
        answeredBy,
        workspace: options.workspace,
        ...(deck === undefined ? {} : { deck }),
        windowMs: options.windowMs,
        messages: feed.messages,
        commands: api.commands,
        typingUntil: feed.typingUntil,
        steps: underneath.steps,
        troubles: troubles.state,
      },
    }),
    act: createActions({
      person,
      troubles,
      onChange: (listener) => api.onChange(listener),
      toast: (text) => tell({ type: "toast", text }),
    }),
    file: (messageId) => {
      const shown = api.chat(userId).messages.find(({ id }) => id === messageId);
      const name = feed.messages.find(({ id }) => id === messageId)?.file?.name;
      return shown?.file === undefined ? undefined : { bytes: shown.file, name: name ?? "file" };
    },
  }).catch(async (error: unknown) => {
    await api.close();
    throw error;
  });
  tell = (frame) => server.tell(frame);
  const standIn = model === undefined ? await prepareStandIn(options.folder) : undefined;

  return {
    telegram: { token: api.token, apiRoot: api.root, userId },
    agentEnv: standIn?.env ?? {},
    answeredBy,
    port: server.port,
    link: server.link,
    watch: (event) => underneath.see(event),
    leadToDeck(link) {
      deck = link;
      tell({ type: "deck", link });
    },
    async close() {
      feed.close();
      troubles.close();
      await Promise.all([server.close(), api.close(), standIn?.close()]);
    },
  };
}

/** A model that needs no account, and a folder in which the agent knows no other. */
async function prepareStandIn(folder: string) {
  const standIn = await startStandInModel();
  const agentFolder = join(folder, "agent");
  await writeAgentFolder(agentFolder, standIn.baseUrl);
  return {
    close: () => standIn.close(),
    env: { PI_CODING_AGENT_DIR: agentFolder, PI_OFFLINE: "1", PI_TELEMETRY: "0" },
  };
}
