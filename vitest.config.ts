import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/support/engine.ts"],
    // Commands that tests start read and write nothing of the user's, and verify what they do, but for blocks: tests themselves verify those.
    env: { BLACKOUT_CACHE: "off", BLACKOUT_VERIFY: "results" },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
