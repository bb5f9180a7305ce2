import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/store.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

/** A store in a folder of its own. `reopen` closes it and opens it again, as a restart does. */
export function createStoreRig() {
  const folder = mkdtempSync(join(tmpdir(), "evie-store-"));
  const clock = createFakeClock();
  const open = (): Store => openStore(join(folder, "evie.db"), clock).store;
  let store = open();
  return {
    clock,
    get store() {
      return store;
    },
    reopen(): Store {
      store.close();
      store = open();
      return store;
    },
    [Symbol.dispose]() {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
