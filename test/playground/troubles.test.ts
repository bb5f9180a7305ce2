import { describe, expect, onTestFinished, test } from "vitest";
import { startBotApi } from "../../src/playground/bot-api/start.ts";
import { createTroubles } from "../../src/playground/troubles.ts";
import type { Troubles } from "../../src/playground/wire.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

async function start() {
  const clock = createFakeClock();
  const api = await startBotApi({ clock });
  onTestFinished(() => api.close());
  const { chat } = api.person({ id: 7, first_name: "Ada" });
  const states: Troubles[] = [];
  const remarks: string[] = [];
  const troubles = createTroubles(
    { api, clock },
    (state) => states.push(state),
    (words) => remarks.push(words),
  );
  const isReachable = (): Promise<boolean> =>
    fetch(`${api.root}/bot${api.token}/getMe`).then(
      () => true,
      () => false,
    );
  const send = async (): Promise<number> => {
    const url = `${api.root}/bot${api.token}/sendMessage?chat_id=${chat.id}&text=hi`;
    return (await fetch(url)).status;
  };
  return { api, clock, troubles, states, remarks, isReachable, send };
}

describe("troubles", () => {
  test("an outage cannot be ended, and is over after ten seconds", async () => {
    const { clock, troubles, states, remarks, isReachable } = await start();
    troubles.set("outage", true);
    expect(troubles.state.outageUntil).toBe(clock.date() + 10_000);
    await clock.settle();
    expect(await isReachable()).toBe(false);
    troubles.set("outage", false);
    troubles.set("outage", true);
    await clock.advance(9_999);
    expect(await isReachable()).toBe(false);
    await clock.advance(1);
    expect(await isReachable()).toBe(true);
    expect(states.map(({ outageUntil }) => outageUntil !== undefined)).toEqual([true, false]);
    expect(remarks).toEqual(["Telegram is out of reach for ten seconds.", "Telegram is back."]);
  });

  test("an outage that was under way at the end does not open the Bot API again", async () => {
    const { api, clock, troubles, isReachable } = await start();
    troubles.set("outage", true);
    await clock.settle();
    troubles.close();
    await api.close();
    await clock.advance(20_000);
    expect(await isReachable()).toBe(false);
  });

  test("a flood can be taken back before it hits", async () => {
    const { troubles, send } = await start();
    troubles.set("flood", true);
    expect(troubles.state.flood).toBe(true);
    troubles.set("flood", false);
    expect(await send()).toBe(200);
    troubles.set("flood", true);
    expect([await send(), await send()]).toEqual([429, 200]);
    expect(troubles.state.flood).toBe(false);
  });

  test("slow files stay slow until they are switched off", async () => {
    const { troubles, states } = await start();
    troubles.set("slowFiles", true);
    troubles.set("slowFiles", false);
    expect(states.map(({ slowFiles }) => slowFiles)).toEqual([true, false]);
  });
});
