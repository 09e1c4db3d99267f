import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** A guard against tests that hang. No working test comes near it, on however busy a machine. */
const hangMs = 1_800_000

/** Test files that need modules of their own: they mock modules, count which were loaded, or need what a process says once. All others share loaded modules. */
const isolated = [
  "test/loop/agent/unloaded-failure.test.ts",
  "test/loop/agent/unloaded-loop.test.ts",
  "test/loop/agent/unloaded-reader.test.ts",
  "test/loop/turn/late-fitting.test.ts",
  "test/node/file-log-coarse.test.ts",
  "test/node/profile/told-once.test.ts",
  "test/adapters/tokenizers/tiktoken/load-encoder.test.ts",
]

const root = fileURLToPath(new URL(".", import.meta.url))

/** Test files whose amount of work depends on the size of the run: they import `test/support/size.ts`. */
const sized = readdirSync(`${root}test`, { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts") && readFileSync(root + path, "utf8").includes('support/size.ts"'))

/**
 * Environment of the tests. Programs that tests start find the compiled code of those before them: most of their life is their start.
 * Node edits no lines at a terminal that is `dumb`.
 */
const env = { NODE_COMPILE_CACHE: `${root}node_modules/.cache/promptstrata-tests`, TERM: "xterm" }
const longEnv = { ...env, TEST_SIZE: process.env.TEST_SIZE ?? "long" }

/** A soak of one process may take hours: 0 is no limit. */
const testTimeout = process.env.TEST_SIZE === "soak" ? 0 : hangMs
const limits = { testTimeout, hookTimeout: hangMs, expect: { poll: { timeout: hangMs } } }
/** Tests make much garbage that dies young. With more room for it they take a sixteenth less CPU. */
const execArgv = ["--max-semi-space-size=64"]
const shared = { ...limits, env, execArgv, isolate: false, setupFiles: ["test/support/setup.ts"] }
const needsServer = "test/adapters/stores/postgres/**"
const globalSetup = ["test/support/postgres-setup.ts"]

/**
 * `unit`, `isolated` and `postgres`, which starts a server of its own, are `npm test`. `long` and `long-postgres` run those of
 * their tests that depend on the size again, with the numbers of a long run. `corpora` runs over the outside material in
 * ../shared/data and skips, saying so, where it is absent. `examples` installs the packages of the examples and skips, saying so, where
 * the npm registry cannot be reached.
 */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  test: {
    // One more than there are cores: a worker often waits for a process, a browser or the disk.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/.tmp/**",
            "test/corpora/**",
            "test/bench/**",
            "test/browser/**",
            "test/examples/**",
            "test/mutation/recorded/**",
            needsServer,
            ...isolated,
          ],
        },
      },
      { test: { ...shared, name: "isolated", include: isolated, isolate: true } },
      { test: { ...shared, name: "postgres", include: [`${needsServer}/*.test.ts`], globalSetup } },
      {
        test: {
          ...shared,
          name: "long",
          env: longEnv,
          include: sized.filter((path) => !path.startsWith("test/adapters/stores/postgres/")),
          exclude: ["test/corpora/**"],
        },
      },
      {
        test: {
          ...shared,
          name: "long-postgres",
          env: longEnv,
          include: sized.filter((path) => path.startsWith("test/adapters/stores/postgres/")),
          globalSetup,
        },
      },
      {
        test: {
          ...shared,
          name: "examples",
          include: ["test/examples/**/*.test.ts"],
          globalSetup: ["test/support/examples-setup.ts"],
        },
      },
      { test: { ...shared, name: "browser", include: ["test/browser/**/*.test.ts"] } },
      { test: { ...shared, name: "corpora", include: ["test/corpora/**/*.test.ts"] } },
    ],
  },
})
