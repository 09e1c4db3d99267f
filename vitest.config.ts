import { defineConfig } from "vitest/config"

/** `unit` and `postgres`, which starts a server of its own, are `npm test`; `corpora` runs over the outside material in ../shared/data and skips, saying so, where it is absent. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // Every core: by default one is left idle, which on two cores is half the machine.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/corpora/**", "test/bench/**", "test/stores/postgres/**"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "postgres",
          include: ["test/stores/postgres/**/*.test.ts"],
          globalSetup: ["test/support/postgres-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: "corpora", include: ["test/corpora/**/*.test.ts"], testTimeout: 120_000 } },
    ],
  },
})
