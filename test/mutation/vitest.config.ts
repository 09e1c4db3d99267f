import { basename, join, relative, resolve } from "node:path"
import { defineConfig } from "vitest/config"
import { instrument } from "./instrument.ts"
import { mutantsOf } from "./mutants.ts"
import { ownPlan, recordFolder } from "./plan.ts"

const root = resolve(import.meta.dirname, "../..")
const { mutants, folder, switches, files } = ownPlan()
const chosen = new Map<string, Set<string>>()
for (const { file, id } of mutants) chosen.set(file, (chosen.get(file) ?? new Set()).add(id))

/**
 * One process that runs test files over sources with switches for mutants; `runner.ts` says which. No file is changed. Programs that
 * tests start run the sources as they are.
 */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  root,
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      transform(code, id) {
        const file = relative(root, id.split("?")[0] as string)
        const ids = chosen.get(file)
        return ids === undefined ? null : { code: instrument(code, mutantsOf(file, code), ids), map: null }
      },
    },
  ],
  test: {
    include: ["test/mutation/mutants.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    globalSetup: ["test/support/postgres-setup.ts"],
    runner: resolve(import.meta.dirname, "runner.ts"),
    isolate: false,
    fileParallelism: false,
    // A run without mutants records what `recorded/` compares; no other snapshot is missing.
    update: files.length > 0 ? "new" : "none",
    resolveSnapshotPath: (path, extension) =>
      path.includes("/mutation/recorded/")
        ? join(recordFolder(folder), basename(path) + extension)
        : join(path, "../__snapshots__", basename(path) + extension),
    // Sources with other switches have another cache: the cache does not know of them.
    fsModuleCache: true,
    fsModuleCachePath: join(folder, switches),
    env: { TEST_SIZE: "quick", NODE_COMPILE_CACHE: join(root, "node_modules/.cache/promptstrata-tests") },
    expect: { poll: { timeout: 1_800_000 } },
    reporters: ["dot"],
  },
})
