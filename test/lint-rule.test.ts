import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { checkArchitecture } from "./support/architecture.ts"
import { edges, layerOrder } from "./support/layer-order.ts"
import { root } from "./support/source-files.ts"

const folders = [...layerOrder.flat(), ...edges, "cli"]
const packages = ["node:fs", "node:fs/promises", "zod", "zod/mini", "openai", "tiktoken", "leven", "jsonrepair"]

/** One file per folder that imports a file of every folder, an index.ts and packages; the root entry does the same. */
const planted = new Map(
  [...folders.map((folder) => `src/${folder}/deep/planted.ts`), "src/index.ts"].map((file) => {
    const up = file === "src/index.ts" ? "./" : "../../"
    const targets = [
      ...folders.map((folder) => `${up}${folder}/x.ts`),
      ...(up === "./" ? [] : [`${up}core/index.ts`]),
      ...packages,
    ]
    return [file, targets.map((target, i) => `export { x as x${i} } from "${target}"\n`).join("")]
  }),
)

/** `file:line` of what the lint rule reports in a copy of the planted tree. */
function lintedPlaces(folder: string): string[] {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome")
  const { stdout } = spawnSync(process.execPath, [biome, "lint", "--reporter=json", "--max-diagnostics=none", "."], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1e9,
  })
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string; start: { line: number } } }[]
  }
  return diagnostics
    .filter(({ category }) => category === "lint/style/noRestrictedImports")
    .map(({ location }) => `${location.path}:${location.start.line}`)
}

describe("the lint rule on imports", () => {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-lint-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeAll(() => {
    for (const file of ["biome.json", ".ci/import-direction.json"]) cpSync(join(root, file), join(folder, file))
    for (const [file, text] of planted) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
  })

  test("reports exactly the imports that the architecture test reports, for every folder from every folder", () => {
    const rules = ["direction", "edge", "index", "package"]
    const expected = checkArchitecture(planted).filter(({ rule }) => rules.includes(rule))
    expect(expected.length).toBeGreaterThan(300)
    expect([...new Set(lintedPlaces(folder))].sort()).toEqual([...new Set(expected.map(({ file }) => file))].sort())
  })
})
