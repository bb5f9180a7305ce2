import type { ServerResponse } from "node:http";
import { aborted, sendError } from "./answering.ts";
import type { Desk } from "./answering.ts";
import { ApiError } from "./errors.ts";
import type { FileFault } from "./faults.ts";

/** How often a slow file lets a piece go, in ms. */
const TRICKLE_MS = 100;

/** Answers the download of a file, with the faults that are set for it. */
export async function answerDownload(
  { world, faults }: Pick<Desk, "world" | "faults">,
  path: string,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const hit = faults.hitFile(path);
  const file = world.files.byPath(path);
  const fault = hit?.fault;
  if (file === undefined || fault?.kind === "missing")
    return sendError(response, new ApiError(404, "Not Found"));
  if (fault?.kind === "status")
    return sendError(response, new ApiError(fault.status, "Internal Server Error"));

  const bytes = file.bytes;
  const length = fault?.kind === "lie" ? fault.contentLength : bytes.length;
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": length });
  response.flushHeaders();
  if (fault === undefined) {
    response.end(bytes);
    return;
  }
  if (fault.kind === "slow") {
    await trickle(bytes, fault.bytesPerSecond);
    if (gone.aborted) response.destroy();
    else response.end();
    return;
  }
  await write(bytes.subarray(0, sentBytes(fault, bytes.length)));
  if (fault.kind === "hang" && hit !== undefined) await aborted(AbortSignal.any([gone, hit.off]));
  if (fault.kind === "lie" && fault.contentLength <= bytes.length) response.end();
  else response.destroy();

  async function trickle(bytes: Uint8Array, bytesPerSecond: number): Promise<void> {
    const step = Math.max(1, Math.floor((bytesPerSecond * TRICKLE_MS) / 1000));
    for (let at = 0; at < bytes.length && !gone.aborted; at += step) {
      await world.clock.sleep((step / bytesPerSecond) * 1000, gone);
      await write(bytes.subarray(at, at + step));
    }
  }

  function write(piece: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (gone.aborted) resolve();
      else response.write(piece, () => resolve());
    });
  }
}

function sentBytes(fault: FileFault, size: number): number {
  if (fault.kind === "truncated" || fault.kind === "hang") return Math.min(fault.bytes, size);
  return fault.kind === "lie" ? Math.min(fault.contentLength, size) : size;
}
