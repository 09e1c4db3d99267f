import { resolve } from "node:path"
import { defineConfig } from "vitest/config"
import type { Mutant } from "./mutants.ts"

const root = resolve(import.meta.dirname, "../..")
const { MUTANT } = process.env
const mutant = MUTANT === undefined ? undefined : (JSON.parse(MUTANT) as Mutant)

/** The unit tests over sources of which one has a mutant. No file is changed. Programs that tests start run the sources as they are. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  root,
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      transform(code, id) {
        if (mutant === undefined || id.split("?")[0] !== resolve(root, mutant.file)) return null
        return code.slice(0, mutant.start) + mutant.text + code.slice(mutant.end)
      },
    },
  ],
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/corpora/**", "test/bench/**", "test/mutation/**", "test/stores/postgres/**"],
    setupFiles: ["test/support/setup.ts"],
    isolate: false,
    // The cache of transformed modules knows nothing of the mutant: it would answer with the source as it is.
    fsModuleCache: false,
    env: { TEST_SIZE: "quick", LANG: "en_US.UTF-8" },
    // A mutant may wait for ever.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
