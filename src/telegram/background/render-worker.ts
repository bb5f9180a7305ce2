import { type MessagePort, parentPort } from "node:worker_threads";
import { createRendering, type Rendering } from "../rendering.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";

/*
 * A thread of its own that renders long answers. It is given steps and gives pages; an answer that takes it for too long
 * is given up by ending the thread.
 */
if (parentPort !== null) serve(parentPort);

function serve(port: MessagePort): void {
  const renderings = new Map<number, Rendering>();
  port.on("message", (asked: ToWorker) => {
    if (asked.type === "forget") {
      renderings.delete(asked.answer);
      return;
    }
    const { job, answer, steps, streaming } = asked;
    const rendering = renderings.get(answer) ?? createRendering();
    renderings.set(answer, rendering);
    const done: FromWorker = { job, pages: rendering.update(steps, { streaming }) };
    port.postMessage(done);
  });
}
