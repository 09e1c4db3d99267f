import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { pruneDeclarations } from "../.ci/prune-declarations.ts"
import { tempFolder } from "./support/temp-folder.ts"

describe("built declarations", () => {
  function pruned(files: Readonly<Record<string, string>>, packages: readonly string[]): string[] {
    const folder = tempFolder()
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    pruneDeclarations(folder, [join(folder, "index.d.ts")], packages)
    return readdirSync(folder).sort()
  }

  test("lose those that no entry reaches", () => {
    const files = {
      "index.d.ts": 'export { a } from "./a.ts";\n',
      "a.d.ts": 'import type { B } from "./b.ts";\nexport declare const a: B | " from \\"c\\"";\n',
      "b.d.ts": "export interface B {}\n",
      "inner.d.ts": 'import type { C } from "c";\n',
    }
    expect(pruned(files, [])).toEqual(["a.d.ts", "b.d.ts", "index.d.ts"])
  })

  test("name only packages that an installation has", () => {
    const files = { "index.d.ts": 'import type { A } from "@a/a/sub";\nexport type { B } from "b";\nexport type { A };\n' }
    expect(pruned(files, ["@a/a", "b"])).toEqual(["index.d.ts"])
    expect(() => pruned(files, ["@a/a"])).toThrow(/index\.d\.ts imports b, which/)
    expect(() => pruned(files, ["b"])).toThrow("imports @a/a, which")
  })
})
