import { expect, onTestFinished, test } from "vitest";
import { listen, PortTakenError } from "../../../src/playground/server/listen.ts";

async function start(port: number | undefined): Promise<number> {
  const server = await listen(port, (_, response) => response.end("here"));
  onTestFinished(() => server.close());
  return server.port;
}

test("without a wish, two find a port each", async () => {
  const ports = [await start(undefined), await start(undefined)];
  expect(new Set(ports).size).toBe(2);
  expect(await (await fetch(`http://127.0.0.1:${ports[1]}/`)).text()).toBe("here");
});

test("a port that is wished for and taken is refused by its number", async () => {
  const port = await start(undefined);
  await expect(start(port)).rejects.toThrow(PortTakenError);
  await expect(start(port)).rejects.toThrow(`Port ${port} is taken.`);
});
