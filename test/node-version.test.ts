import { expect, test } from "vitest";
import { complaintAbout } from "../src/node-version.ts";

test.each(["v24.0.0", "v24.21.0", "v25.1.0-nightly2026", "v100.0.0"])("evie runs on Node %s", (version) => {
  expect(complaintAbout(version)).toBeUndefined();
});

test.each(["v23.11.1", "v20.20.2", "v12.22.12", "v9.0.0", "v2.4.24"])(
  "on Node %s evie says which Node it is, which is needed, and what to do",
  (version) => {
    expect(complaintAbout(version)).toBe(
      `evie: this is Node ${version}, and evie needs Node 24 or newer; install it from https://nodejs.org and make it the first node on the PATH.`,
    );
  },
);
