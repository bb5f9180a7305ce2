#!/usr/bin/env node
/*
 * What `evie` starts. An old Node, back to the first ones with modules (12.17), must be able to read this file and all
 * that it imports statically: then its owner gets a sentence and not a SyntaxError. So nothing younger here, such as
 * `?.`, `??`, an await outside functions, or "node:" in front of a module's name.
 */
import { complaintAbout } from "./node-version.ts";

const complaint = complaintAbout(process.version);
if (complaint === undefined) {
  // Whatever fails in there ends the process, as it does when main.ts is started directly.
  void start();
} else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  // `evie check` changes nothing, so it keeps no compiled code either.
  if (process.argv[2] !== "check") {
    const { keepCompiledCode } = await import("./compile-cache.ts");
    keepCompiledCode();
  }
  await import("./main.ts");
}
