import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/property-seed.ts"],
    sequence: { shuffle: true },
    expect: { requireAssertions: true },
    // Shared module state between test files would show as a failure here, not months later in production.
    isolate: false,
    restoreMocks: true,
    testTimeout: 20_000,
  },
});
