import { copyFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import { fileApprovals } from "../../src/adapters/mcp/approvals.ts"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { exportedLines } from "../../src/apps/cli/memory/export-import.ts"
import { PromptStrataError } from "../../src/core/errors.ts"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { readWorldBook } from "../../src/node/character/read-world-book.ts"
import { openDocuments } from "../../src/node/living-documents.ts"
import { readPrompt } from "../../src/node/load-prompts.ts"
import { loadProfile } from "../../src/node/profile/load-profile.ts"
import { scheduleTools } from "../../src/node/schedule-tools.ts"
import { readSkills } from "../../src/node/skills/load-skills.ts"
import { turnOf } from "../adapters/stores/sqlite/support/turns.ts"
import { answerOf } from "../prompt/tools/builtin/run-tool.ts"
import { collect } from "../support/collect.ts"
import { diceOf } from "../support/dice.ts"
import { amount, seedOf } from "../support/size.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { damage } from "./support/damage.ts"

if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")

/** A kind of file that the library reads. */
interface Kind {
  readonly name: string
  /** The beginning of the file's path in its folder. */
  readonly path: string
  /** Makes an undamaged file. */
  readonly make: (folder: string) => Promise<void>
  /** Uses the file in every way. Throws where that fails, or returns what could not be read. */
  readonly use: (folder: string) => Promise<unknown>
  /** The name in an error, if it is not that of the file. */
  readonly named?: string
}

const written = (path: string, text: string) => async (folder: string) => writeFileSync(join(folder, path), text)
const clock = { nowMs: () => 0 }
const key = turnOf("t0", "a").key
const { user } = key

const profile = `[prompt]
dialect = "fay"
persona = "fay"
[agent]
name = "Fay"
[history]
window = "slide"
[memory]
recall_limit = 5
[tools]
enabled = ["current_time", "calculate"]
[[prestart]]
tool = "current_time"
`
const worldBook =
  '---\ntitle: Sea\nkeys: [sea, "wave"]\npriority: 40\n---\nThe sea is wide.\n---\nalways: true\n---\nIt is winter.\n'
const skill = "---\nname: tea\ndescription: Making tea.\nlicense: MIT\nmetadata:\n  a: b\n---\nBoil water.\n"
const prompt = "---\nrole: system\n---\nYou are ${name}.\n${#if tools}\nTools: ${tools}\n${/if}\n${rest}\n"

async function filled(folder: string): Promise<void> {
  const store = await openSqliteStore(join(folder, "store.sqlite"))
  for (let at = 0; at < 4; at++) {
    const { key: of, commit } = turnOf(`t${at}`, at % 2 === 0 ? "a" : "b")
    await store.commit(of, { ...commit, expectVersion: Math.floor(at / 2) })
  }
  const speaker = { id: user, name: "Ann" }
  const memory = {
    ...key,
    id: "m1",
    kind: "dialogue",
    text: "tea",
    speaker,
    turnId: "t0",
    atMs: 1,
    turn: 0,
    importance: 5,
  } as const
  await store.memories.put(memory, { hash: "h", key })
  await store.receipts.put({
    key,
    kind: "importance",
    turnId: "t1",
    attempt: 1,
    durationMs: 1,
    startedMs: 0,
    outcome: "ok",
  } as never)
  await store.close()
}

const kinds: readonly Kind[] = [
  {
    name: "document",
    path: "MEMORY.md",
    make: written("MEMORY.md", "# Memory\n\nAnn likes tea. 她喜欢茶。\n"),
    async use(folder) {
      const { workspace } = await openDocuments(folder)
      await workspace.read("MEMORY.md")
      await workspace.update("MEMORY.md", (file) => `${file?.text}\nmore`, { by: "test" })
    },
  },
  {
    name: "entry of a document's history",
    path: ".promptstrata/history/000000000002",
    named: "MEMORY.md",
    async make(folder) {
      const { workspace } = await openDocuments(folder)
      await workspace.write("MEMORY.md", "one", { by: "test" })
      await workspace.write("MEMORY.md", "two", { by: "test" })
    },
    async use(folder) {
      const { workspace } = await openDocuments(folder)
      await workspace.history()
      const undone = await workspace.undo({ by: "test" }).catch((error) => {
        expect(error.code).toMatch(/^file(-conflict)?$/)
      })
      if (undone) expect((await workspace.read("MEMORY.md")).text).toBe("one")
      await workspace.write("MEMORY.md", "three", { by: "test" })
    },
  },
  {
    name: "world book",
    path: "book.md",
    make: written("book.md", worldBook),
    use: async (folder) => readWorldBook(join(folder, "book.md")),
  },
  {
    name: "skill",
    path: "SKILL.md",
    make: written("SKILL.md", skill),
    use: async (folder) => readSkills(join(folder, "SKILL.md")),
  },
  {
    name: "prompt",
    path: "planner.md",
    make: written("planner.md", prompt),
    use: async (folder) => readPrompt(join(folder, "planner.md")),
  },
  {
    name: "profile",
    path: "test.toml",
    make: written("test.toml", profile),
    use: (folder) => loadProfile(join(folder, "test.toml")),
  },
  {
    name: "list of approvals",
    path: "approvals.json",
    make: (folder) => fileApprovals(join(folder, "approvals.json")).save({ "a.b": "1", "a.c": "2" }),
    async use(folder) {
      const approvals = fileApprovals(join(folder, "approvals.json"))
      const before = await approvals.load()
      const { approved } = JSON.parse(readFileSync(join(folder, "approvals.json"), "utf8"))
      expect(Object.keys(before).sort()).toEqual(Object.keys(approved).sort())
      await approvals.save({ z: "3" })
      expect(await approvals.load()).toEqual({ ...before, z: "3" })
    },
  },
  {
    name: "schedule",
    path: "schedule.json",
    async make(folder) {
      const [add] = scheduleTools({ folder, clock, locale: "en" })
      await answerOf(add, { title: "tea", content: "早", schedule_time: "2026-01-01" })
    },
    async use(folder) {
      const [add, list] = scheduleTools({ folder, clock, locale: "en" })
      const context = { signal: new AbortController().signal } as never
      await list.execute({} as never, context)
      await add.execute({ title: "more", schedule_time: "soon" } as never, context)
    },
  },
  {
    name: "export",
    path: "export.jsonl",
    async make(folder) {
      await filled(folder)
      const store = await openSqliteStore(join(folder, "store.sqlite"))
      writeFileSync(join(folder, "export.jsonl"), (await collect(store.export({ agent: key.agent }))).join("\n"))
      await store.close()
    },
    async use(folder) {
      const lines = () => exportedLines([readFileSync(join(folder, "export.jsonl"))] as never, "export.jsonl")
      const memory = createInMemoryStore()
      await memory.import(lines())
      await Promise.all([
        memory.load(key),
        collect(memory.export({ agent: key.agent })),
        memory.memories.changes(key, { limit: 9 }),
      ])
    },
    named: "in line ",
  },
  {
    name: "store",
    path: "store.sqlite",
    async make(folder) {
      await filled(folder)
      copyFileSync(join(folder, "store.sqlite"), join(folder, "whole.sqlite"))
    },
    use: useStore,
  },
]

/** Everything that a store holds, in one text. */
async function contentOf(file: string): Promise<{ readonly ok: boolean; readonly content: string }> {
  const store = await openSqliteStore(file, { onWarning: () => undefined })
  try {
    const { ok } = await store.check()
    const found = await Promise.all([
      store.load(key),
      store.load(turnOf("", "b").key),
      store.memories.changes(key, { limit: 9 }),
      store.receipts.ofTurn("t1", key),
      collect(store.export({ agent: key.agent })),
    ])
    return { ok, content: JSON.stringify(found) }
  } finally {
    await store.close()
  }
}

/** A store whose check finds nothing holds what it held. */
async function useStore(folder: string): Promise<void> {
  const { ok, content } = await contentOf(join(folder, "store.sqlite"))
  if (ok) expect(content).toBe((await contentOf(join(folder, "whole.sqlite"))).content)
}

/** An error that a person can act on: typed, and with the file's name. */
function faultOf(error: unknown, { path, named = path }: Kind): string | undefined {
  if (!PromptStrataError.isInstance(error)) return `${error instanceof Error ? error.stack : error}`
  const told = JSON.stringify([error.message, error.evidence, error.source])
  const isNamed = told.includes(named) || told.includes('"table":')
  return isNamed ? undefined : `no file is named: ${told}`
}

describe("a damaged file", () => {
  test.each(kinds)("that is a $name is refused with its name, or is read soundly", async (kind) => {
    const dice = diceOf(mulberry32(seedOf(1_204)))
    const original = tempFolder()
    await kind.make(original)
    const path =
      readdirSync(original, { recursive: true, encoding: "utf8" }).find((one) => one.startsWith(kind.path)) ?? kind.path
    const bytes = readFileSync(join(original, path))
    await kind.use(tempCopy(original))
    for (let file = 0; file < Math.ceil(amount("DAMAGED_FILES") / kinds.length); file++) {
      const folder = tempCopy(original)
      writeFileSync(join(folder, path), damage(bytes, dice))
      const fault = await kind.use(folder).then(
        () => undefined,
        (error: unknown) => faultOf(error, kind),
      )
      if (fault !== undefined) expect.soft(`${kind.name} ${file}: ${fault}`.slice(0, 900)).toBe("")
      rmSync(folder, { recursive: true })
    }
  })
})

function tempCopy(folder: string): string {
  const copy = mkdtempSync(`${folder}-`)
  cpSync(folder, copy, { recursive: true })
  return copy
}
