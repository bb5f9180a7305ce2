import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "../../src/store/store.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";

/** A store in a folder of its own. `reopen` closes it and opens it again, as a restart does; `meanwhile` something may happen. */
export function createStoreRig() {
  const folder = mkdtempSync(join(tmpdir(), "evie-store-"));
  const clock = createFakeClock();
  const path = join(folder, "evie.db");
  const open = (): Store => openStore(path, clock).store;
  let store = open();
  return {
    clock,
    path,
    get store() {
      return store;
    },
    reopen(meanwhile?: () => void): Store {
      store.close();
      meanwhile?.();
      store = open();
      return store;
    },
    [Symbol.dispose]() {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
