import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { posix } from "node:path"
import { describe, expect, test } from "vitest"
import { pathIn, roomNames, wings } from "../.ci/rooms.ts"
import { checkArchitecture, type Violation } from "./support/architecture.ts"
import { longSubjects, subjectsSince } from "./support/commit-subjects.ts"
import { importsOf } from "./support/imports.ts"
import { crowdedFolders, literalGetters, longFunctions, questioningComments, weakCaches } from "./support/readability.ts"
import { functionsNamedIn, misplacedFunctions, missingRooms, roomsInTable, roomsNamedIn, wingsOfSource } from "./support/rooms.ts"
import { filesBelow, readSources, root } from "./support/source-files.ts"

const show = (violations: readonly Violation[]) => violations.map(({ rule, file, detail }) => `${rule}: ${file}: ${detail}`)

describe("the house", () => {
  test("no source file breaks the layer order, the size limit or a rule on exports", () => {
    expect(show(checkArchitecture(readSources("src", ".ts")))).toEqual([])
  })
})

describe("what makes the source readable", () => {
  const sources = readSources("src", ".ts")

  test("at most 20 files stand directly in a folder", () => {
    expect(crowdedFolders(sources)).toEqual([])
  })

  test("no doc comment begins with What, Where, Whether or Who: it says what the thing does", () => {
    expect(questioningComments(sources)).toEqual([])
  })

  test("no two files export a type of one name, so that an import says which it is", () => {
    const twice = (files: ReadonlyMap<string, string>) => {
      const exported = [...files].flatMap(([file, text]) =>
        [...text.matchAll(/^export (?:interface|type|class) (\w+)/gm)].map(([, name = ""]) => ({ file, name })),
      )
      return [...Map.groupBy(exported, ({ name }) => name)].filter(([, found]) => found.length > 1)
    }
    expect(twice(sources).map(([name, found]) => `${name}: ${found.map(({ file }) => file).join(", ")}`)).toEqual([])
    const planted = ["export interface A {", "export type A = 1", "type A = 1\nexport const A = 1"]
    expect(
      twice(new Map(planted.map((text, at) => [`src/${at}.ts`, text]))).map(([name, found]) => [name, found.length]),
    ).toEqual([["A", 2]])
  })

  test("no function of the loop has more than 40 lines", () => {
    const loop = new Map([...sources].filter(([file]) => file.startsWith("src/loop/")))
    expect(longFunctions(loop)).toEqual([])
  })

  test("no object that a turn makes has a getter of its literal, with which V8 keeps it and the turn until the next full collection", () => {
    const made = /^src\/(?:prompt|reply|loop\/turn|memory\/services\/(?:memory|recall))\//
    expect(literalGetters(new Map([...sources].filter(([file]) => made.test(file))))).toEqual([])
    const planted = "class A {\n  get a() { return 1 }\n}\nconst b = {\n  get: 1,\n  get b() { return 1 },\n}\n"
    expect(literalGetters(new Map([["src/a.ts", planted]]))).toEqual(["src/a.ts:6: get b() { return 1 },"])
  })

  test("at most 25 caches are weak maps beside the objects that they serve, each with its reason in a line", () => {
    const { all, unexplained } = weakCaches(sources)
    expect(unexplained).toEqual([])
    expect(all.length).toBeLessThanOrEqual(25)
    const planted = "/** Why. */\nconst a = new WeakMap()\nconst b = new WeakSet()\n"
    expect(weakCaches(new Map([["src/a.ts", planted]]))).toEqual({
      all: ["src/a.ts:2", "src/a.ts:3"],
      unexplained: ["src/a.ts:3"],
    })
  })

  test("what is planted is found", () => {
    const files = (folder: string, count: number) => Array.from({ length: count }, (_, i) => [`${folder}/f${i}.ts`, ""] as const)
    const crowded = new Map([...files("src/a", 21), ...files("src/b", 20), ...files("src/b/c", 20)])
    expect(crowdedFolders(crowded)).toEqual(["src/a"])

    const comments =
      "/** What it is. */\n/** Whatever it is. */\n/**\n * Whether it is.\n */\n/* Who? */\n/** Says what it is. */\n"
    expect(questioningComments(new Map([["src/a.ts", comments]]))).toEqual([
      "src/a.ts:1: What it is. */",
      "src/a.ts:3: Whether it is.",
    ])

    const body = (lines: number) => "  go()\n".repeat(lines)
    const long = [
      `export function a() {\n${body(39)}}`,
      `export function b() {\n${body(38)}}`,
      `const c = () => {\n${body(39)}}`,
      `class D {\n  m() {\n${body(39)}  }\n}`,
    ].join("\n")
    expect(longFunctions(new Map([["src/a.ts", long]]))).toEqual([
      "src/a.ts:1: 41 lines: export function a() {",
      "src/a.ts:82: 41 lines: const c = () => {",
      "src/a.ts:124: 41 lines: m() {",
    ])
  })
})

describe("the rooms of src/", () => {
  const read = (file: string) => readFileSync(root + file, "utf8")
  const rooms = [...new Set([...wings.map(({ name }) => name), ...roomNames])]

  test("docs/architecture.md lists each one in its wing, in the order of the layers", () => {
    const placed = wings.flatMap(({ name, rows }) => rows.flat().map((room) => `${name}/${room}`))
    expect(roomsInTable(read("docs/architecture.md"))).toEqual(placed)
  })

  test("the folders of src/ are the wings, each with its rooms and a README.md", () => {
    expect(wingsOfSource()).toEqual(wings.map(({ name }) => name).sort())
    expect(wings.filter(({ name }) => !/^# .*\n/.test(read(`src/${name}/README.md`)))).toEqual([])
    expect(roomNames.filter((room) => !existsSync(root + pathIn(room)))).toEqual([])
  })

  test("a README.md in src/ names no file that is neither below its folder nor a path from the checkout or src", () => {
    const files = filesBelow("src", ".ts")
    const named = filesBelow("src", "/README.md").flatMap((path) =>
      [...read(path).matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = ""]) => [posix.dirname(path), name] as const),
    )
    expect(named.length).toBeGreaterThan(0)
    const isThere = (folder: string, name: string) =>
      ["", "src/"].some((start) => existsSync(root + start + name)) ||
      files.some((file) => file.startsWith(`${folder}/`) && file.endsWith(`/${name}`))
    expect(named.filter(([folder, name]) => !isThere(folder, name))).toEqual([])
  })

  const order = wings.map(({ name }) => name)

  /** The wings that a README.md allows: those that it names, all from one to another, or all. */
  const allowedBy = (readme: string): readonly string[] => {
    const line = /^(?:- It may use|.* It imports nothing) .*$/m.exec(readme)?.[0] ?? ""
    const range = /from `(\w+)` to `(\w+)`/.exec(line)
    const between = range ? order.slice(order.indexOf(range[1] ?? ""), order.indexOf(range[2] ?? "") + 1) : []
    return line.includes("all other wings") ? order : [...between, ...order.filter((name) => line.includes(`\`${name}`))]
  }

  test.each(order)("%s imports no wing that its README.md does not name, which says where to begin", (wing) => {
    const readme = read(`src/${wing}/README.md`)
    const used = [...readSources(`src/${wing}`, ".ts")].flatMap(([path, text]) =>
      importsOf(text)
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ specifier }) => posix.join(posix.dirname(path), specifier).split("/")[1] ?? ""),
    )
    expect(used.length).toBeGreaterThan(0)
    expect([...new Set(used)].filter((name) => name !== wing && !allowedBy(readme).includes(name))).toEqual([])
    expect(readme).toMatch(/^- Begin with/m)
  })

  test.each(["docs/architecture.md", "CONTRIBUTING.md"])("%s names no room that does not exist", (file) => {
    expect(roomsNamedIn(read(file), rooms).length).toBeGreaterThan(0)
    expect(missingRooms(read(file), rooms)).toEqual([])
  })

  test.each([
    ["docs/architecture.md", 2_200],
    ["CONTRIBUTING.md", 1_200],
  ])("%s has at most %d words", (file, most) => {
    expect(read(file).trim().split(/\s+/).length).toBeLessThanOrEqual(most)
  })

  test("what is planted is found", () => {
    const known = ["core", "node", "models", "cli"]
    const page = "| wing | room | has |\n|---|---|---|\n| core | `core` | words |\n| loft | `attic` | dust |\n"
    expect(roomsInTable(page)).toEqual(["core/core", "loft/attic"])
    expect(missingRooms("see src/core/ and src/attic/x.ts", known)).toEqual(["attic"])
    expect(missingRooms("edges (`node models attic`) and `core ← node ← edges ← cellar ← cli`", known)).toEqual([
      "attic",
      "cellar",
    ])
    expect(missingRooms("`tool calls of a model`, `npm run node`, `planner.md`, `src/index.ts`", known)).toEqual([])
  })
})

describe("the page of where things happen", () => {
  test("names functions in the files in which they stand", () => {
    const named = functionsNamedIn(readFileSync(`${root}docs/where-things-happen.md`, "utf8"))
    expect(named.length).toBeGreaterThan(20)
    expect(misplacedFunctions(named, readSources("src", ".ts"))).toEqual([])
  })

  test("a function that moved is found", () => {
    const named = functionsNamedIn("| why | `fit` and `byRank` in `src/a.ts`, `gone` in `src/b.ts` (so) |")
    expect(named.map(({ name, file }) => `${name} ${file}`)).toEqual(["fit src/a.ts", "byRank src/a.ts", "gone src/b.ts"])
    const sources = new Map([["src/a.ts", "export function fit() {}\nfunction byRank() {}\n"]])
    expect(misplacedFunctions(named, sources)).toEqual(["gone does not stand in src/b.ts"])
  })
})

test("all snapshots together have at most 1.2 MB", () => {
  const files = globSync("test/**/__snapshots__/**/*.*", { cwd: root, exclude: (path) => path.includes("node_modules") })
  expect(files.length).toBeGreaterThan(100)
  expect(files.reduce((sum, file) => sum + statSync(root + file).size, 0)).toBeLessThanOrEqual(1_200_000)
})

/** The commit after which subjects are bound. */
const boundSince = "91e011d6bc08e0a50150a29a9151b56e976ca1f2"

describe("the subjects of commits", () => {
  const subjects = subjectsSince(boundSince)

  test.skipIf(subjects === undefined)("have at most 72 characters", () => {
    expect(longSubjects(subjects ?? [])).toEqual([])
  })

  test("one of 73 characters is found", () => {
    expect(longSubjects(["x".repeat(72), "长".repeat(72), "y".repeat(73)])).toEqual(["y".repeat(73)])
    expect(subjectsSince("0".repeat(40))).toBeUndefined()
  })
})

/** Folders of `assemble` from the lowest up; those of one row do not know each other. */
const assembleRows = [["tokens", "cut"], ["draft"], ["print"], ["fit"], [""]]

/** Imports within `assemble` of what stands higher, or beside. */
function upwardImports(sources: ReadonlyMap<string, string>): string[] {
  const folderIn = (file: string) => file.slice("src/prompt/assemble/".length).split("/").slice(0, -1).join("/")
  const rowIn = (folder: string) => assembleRows.findIndex((row) => row.includes(folder))
  return [...sources].flatMap(([file, text]) =>
    importsOf(text).flatMap(({ specifier }) => {
      const target = posix.join(posix.dirname(file), specifier)
      if (!file.startsWith("src/prompt/assemble/") || !specifier.startsWith(".") || !target.startsWith("src/prompt/assemble/"))
        return []
      const [from, to] = [folderIn(file), folderIn(target)]
      return from === to || rowIn(from) > rowIn(to) ? [] : [`${file} → ${target}`]
    }),
  )
}

describe("the folders of assemble", () => {
  test("stand one above the other: tokens, drafts, printing, fitting, assembling", () => {
    const sources = readSources("src", ".ts")
    expect(upwardImports(sources)).toEqual([])
    const folders = new Set(
      [...sources.keys()]
        .map((file) => /^src\/prompt\/assemble\/(?:(\w+)\/)?/.exec(file))
        .map((found) => found && (found[1] ?? "")),
    )
    folders.delete(null)
    expect([...folders].sort()).toEqual(assembleRows.flat().sort())
    const planted = new Map([["src/prompt/assemble/draft/a.ts", 'import { b } from "../fit/b.ts"\n']])
    expect(upwardImports(planted)).toEqual(["src/prompt/assemble/draft/a.ts → src/prompt/assemble/fit/b.ts"])
  })
})

/** One planted violation each: what is planted, and what must be found. */
const planted: readonly { name: string; files: Record<string, string>; found: readonly string[] }[] = [
  {
    name: "an import of a layer above",
    files: { "src/core/a.ts": 'import { b } from "../loop/agent/b.ts"\n' },
    found: ["direction: src/core/a.ts:1: imports src/loop/agent/b.ts, which stands above it"],
  },
  {
    name: "a type of a layer above, over several lines",
    files: { "src/prompt/tools/a.ts": '\nimport type {\n  B,\n  C,\n} from "../../loop/turn/b.ts"\n' },
    found: ["direction: src/prompt/tools/a.ts:2: imports src/loop/turn/b.ts, which stands above it"],
  },
  {
    name: "a re-export of a layer above",
    files: { "src/prompt/stack/deep/a.ts": 'export { b } from "../../assemble/b.ts"\n' },
    found: ["direction: src/prompt/stack/deep/a.ts:1: imports src/prompt/assemble/b.ts, which stands above it"],
  },
  {
    name: "a layer above by import() inside a function",
    files: { "src/loop/turn/a.ts": 'export async function a() {\n  return import("../agent/b.ts")\n}\n' },
    found: ["direction: src/loop/turn/a.ts:2: imports src/loop/agent/b.ts, which stands above it"],
  },
  {
    name: "an import of a wing above",
    files: { "src/memory/services/a.ts": 'import { b } from "../../profile/b.ts"\n' },
    found: ["direction: src/memory/services/a.ts:1: imports src/profile/b.ts, which stands above it"],
  },
  {
    name: "an edge that imports another",
    files: { "src/testing/a.ts": 'import { b } from "../node/b.ts"\n' },
    found: ["edge: src/testing/a.ts:1: imports src/node/b.ts, another edge"],
  },
  {
    name: "an import of an index.ts",
    files: { "src/apps/cli/a.ts": 'import { b } from "../../node/index.ts"\n' },
    found: ["index: src/apps/cli/a.ts:1: imports src/node/index.ts"],
  },
  {
    name: "a cycle between files of one folder",
    files: { "src/core/a.ts": 'import { b } from "./b.ts"\n', "src/core/b.ts": 'import type { A } from "./a.ts"\n' },
    found: ["cycle: src/core/a.ts: src/core/a.ts → src/core/b.ts → src/core/a.ts"],
  },
  {
    name: "a cycle between folders of one row, though no two files form one",
    files: {
      "src/prompt/tools/a.ts": 'import { b } from "../layers/b.ts"\n',
      "src/prompt/layers/c.ts": 'import { d } from "../tools/d.ts"\n',
    },
    found: ["folder-cycle: tools: tools → layers → tools"],
  },
  {
    name: "node: below the edges, even as a type or lazily",
    files: {
      "src/core/a.ts": 'import type { Stats } from "node:fs"\n',
      "src/core/b.ts": 'export const b = async () => import("node:fs")\n',
    },
    found: [
      "package: src/core/a.ts:1: imports node:fs; only the edges may",
      "package: src/core/b.ts:1: imports node:fs; only the edges may",
    ],
  },
  {
    name: "a heavy package below the edges, at load time",
    files: { "src/prompt/tools/a.ts": 'import { z } from "zod"\nconst sql = await import("kysely")\n' },
    found: [
      "package: src/prompt/tools/a.ts:1: imports zod; only the edges may",
      "package: src/prompt/tools/a.ts:2: imports kysely; only the edges may",
    ],
  },
  {
    name: "a root entry that reaches an edge and through it a package",
    files: {
      "src/index.ts": 'export { a } from "./node/a.ts"\n',
      "src/node/a.ts": 'import { readFile } from "node:fs/promises"\n',
    },
    found: [
      "direction: src/index.ts:1: imports src/node/a.ts, which stands above it",
      "root: src/index.ts:1: loads ./node/a.ts with the root entry",
      "root: src/node/a.ts:1: loads node:fs/promises with the root entry",
    ],
  },
  {
    name: "a file that is written past the lock",
    files: {
      "src/node/a.ts": 'import { mkdir, writeFile } from "node:fs/promises"\nimport writeFileAtomic from "write-file-atomic"\n',
      "src/adapters/mcp/b.ts":
        'import { readFile } from "node:fs/promises"\nimport { updateFile } from "../../node/workspace/update-file.ts"\n',
      "src/adapters/models/c.ts": 'import * as fs from "node:fs"\n',
      "src/testing/d.ts": 'const fs = await import("node:fs")\n',
      "src/node/workspace/update-file.ts": 'import { rename } from "node:fs/promises"\n',
    },
    found: [
      "write: src/node/a.ts: { mkdir, writeFile } of node:fs/promises; a file is changed by updateFile or a workspace",
      "write: src/node/a.ts: writeFileAtomic of write-file-atomic; a file is changed by updateFile or a workspace",
      "write: src/adapters/models/c.ts: * as fs of node:fs; a file is changed by updateFile or a workspace",
      "write: src/testing/d.ts: everything of node:fs; a file is changed by updateFile or a workspace",
    ],
  },
  {
    name: "a file of 301 lines",
    files: { "src/core/a.ts": "const a = 1\n".repeat(301) },
    found: ["size: src/core/a.ts: 301 lines, at most 300"],
  },
  {
    name: "default exports",
    files: { "src/core/a.ts": "export default 1\n", "src/core/b.ts": "export { b as default }\n" },
    found: ["default-export: src/core/a.ts: export default", "default-export: src/core/b.ts: export default"],
  },
  {
    name: "export *",
    files: { "src/core/a.ts": 'export * from "./b.ts"\n', "src/core/c.ts": 'export type * as d from "./d.ts"\n' },
    found: ["export-all: src/core/a.ts: export *", "export-all: src/core/c.ts: export *"],
  },
  {
    name: "a folder without a place",
    files: { "src/utils/a.ts": "export const a = 1\n" },
    found: ["folder: src/utils/a.ts: utils has no place in the layer order"],
  },
]

describe("the checker finds what is planted", () => {
  test.each(planted)("$name", ({ files, found }) => {
    expect(show(checkArchitecture(new Map(Object.entries(files))))).toEqual(found)
  })

  test("and nothing in a tree that keeps the rules", () => {
    const sound = {
      "src/index.ts": 'export { createAgent } from "./loop/agent/agent.ts"\nexport type { Tool } from "./prompt/tools/tool.ts"\n',
      "src/loop/agent/agent.ts": 'import leven from "leven"\nimport type { Tool } from "../../prompt/tools/tool.ts"\n',
      "src/prompt/tools/tool.ts": 'import { fold } from "../encode/fold.ts"\nexport const load = async () => import("kysely")\n',
      "src/prompt/encode/fold.ts":
        '/** See `import("zod")`:\n * import { a } from "zod"\n */\nexport const fold = "import x from"\n',
      "src/node/load.ts":
        'import { readFile } from "node:fs/promises"\nimport { z } from "zod"\nimport type { T } from "../prompt/tools/tool.ts"\n',
      "src/apps/cli/main.ts":
        'import { load } from "../../node/load.ts"\nimport { createAgent } from "../../loop/agent/agent.ts"\n',
    }
    expect(show(checkArchitecture(new Map(Object.entries(sound))))).toEqual([])
  })
})
