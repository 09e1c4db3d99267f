import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { LearnedLine } from "../../../src/memory/services/background/document-memory.ts"
import { learnedDocuments } from "../../../src/node/documents/learned-documents.ts"
import { nodeFileSystem } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { defaultDocumentSettings } from "../../../src/prompt/layers/documents/document.ts"
import { readDocument } from "../../support/learning-agent.ts"
import { runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const key = { agent: "a", conversation: "c", audience: "private", user: "user" } as const
const signal = new AbortController().signal

function documentsIn(folder: string, fs = nodeFileSystem, more: Partial<Parameters<typeof learnedDocuments>[1]> = {}) {
  return learnedDocuments(join(folder, "workspace"), {
    ...defaultDocumentSettings,
    ...more,
    headings: { user: "## User", memory: "## Memory" },
    untrusted: "(?)",
    files: { fs },
  })
}

const lineOf = (text: string, turnId = text): LearnedLine => ({
  document: "memory",
  text,
  untrusted: false,
  origins: [{ ...key, turnId, fromMs: 0, untilMs: 0 }],
})

const options = { expectWanted: async () => {}, signal }

describe("several writers of one document", () => {
  test("two writers, a person and the model's tool at once lose nothing of each other, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom("one", "two", "tool"), { minLength: 3, maxLength: 8 }), async (order) => {
        const folder = tempFolder({ "workspace/MEMORY.md": "# Mine\n" })
        const [one, two] = [documentsIn(folder), documentsIn(folder)]
        const workspace = await openFolder(join(folder, "workspace"))
        const said: string[] = []
        await Promise.all(
          order.map(async (who, at) => {
            const text = `${who} said ${at}`
            said.push(text)
            if (who === "tool") await workspace.update("MEMORY.md", (file) => `${file?.text ?? ""}- ${text}\n`, { by: "tool" })
            else await (who === "one" ? one : two).write([lineOf(text)], key, { ...options, by: text })
          }),
        )
        const text = readDocument(folder, "MEMORY.md") ?? ""
        for (const each of said) expect(text.split(each)).toHaveLength(2)
        expect(text.startsWith("# Mine\n")).toBe(true)
      }),
      { numRuns: runs(60), seed: seedOf(2102) },
    )
  })

  test("a line is written once, however often its job runs, and the second receipt names the first edit", async () => {
    const folder = tempFolder()
    const documents = documentsIn(folder)
    const first = await documents.write([lineOf("x")], key, { ...options, by: "turn_1" })
    const again = await documents.write([lineOf("x")], key, { ...options, by: "turn_1" })
    expect([first, again]).toEqual([
      { edits: ["MEMORY.md edit 1"], written: 1, known: 0, full: [], left: 0 },
      { edits: ["MEMORY.md edit 1"], written: 0, known: 1, full: [], left: 0 },
    ])
  })

  test("two people of one name in a group's USER.md have their own lines, also where they say the same (M29)", async () => {
    const folder = tempFolder()
    const documents = documentsIn(folder)
    const group = { ...key, audience: "group", conversation: "g" } as const
    const tell = (user: string, name: string, field: string, text: string) => {
      const by = `${user} ${field} ${text}`
      const origins = [{ ...group, user, turnId: by, fromMs: 0, untilMs: 0 }]
      const line: LearnedLine = { document: "user", text, field, name, untrusted: false, origins }
      return documents.write([line], { ...group, user }, { ...options, by })
    }
    await tell("u1", "Ann", "city", "Oslo")
    await tell("u2", "ann", "city", "Oslo")
    await tell("u3", "Anna", "city", "Oslo")
    await tell("u4", "ann·u2", "city", "Bergen")
    await tell("u2", "ann", "city", "Rome")
    await tell("u1", "Ann", "job", "baker")
    const lines = (await documents.text("user", group, { signal })).split("\n").filter((line) => line.startsWith("- "))
    expect(lines).toEqual([
      "- Ann · city: Oslo",
      "- ann·u2 · city: Rome",
      "- Anna · city: Oslo",
      "- ann·u2·u4 · city: Bergen",
      "- Ann · job: baker",
    ])
  })

  test("a process that ends at any step of a write leaves a document whose next attempt holds the line once, with its origin", async () => {
    const steps = async (failAt: number) => {
      const folder = tempFolder({ "workspace/MEMORY.md": "# Mine\n" })
      let step = 0
      const failing = <T extends (...given: never[]) => Promise<unknown>>(call: T): T =>
        ((...given: Parameters<T>) => {
          // A process that has ended does nothing any more: not even its cleaning up.
          if (++step >= failAt) return Promise.reject(new Error("ended"))
          return call(...given)
        }) as T
      const fs = { ...nodeFileSystem, rename: failing(nodeFileSystem.rename), remove: failing(nodeFileSystem.remove) }
      const outcome = await documentsIn(folder, fs)
        .write([lineOf("canary")], key, { ...options, by: "turn_1" })
        .then(
          () => "done",
          () => "ended",
        )
      const documents = documentsIn(folder)
      await documents.write([lineOf("canary")], key, { ...options, by: "turn_1" })
      expect(readDocument(folder, "MEMORY.md")).toBe("# Mine\n\n## Memory\n\n- canary\n")
      const record = JSON.parse(readDocument(folder, ".promptstrata/learned.json") ?? "{}")
      expect(record.lines).toHaveLength(1)
      return outcome
    }
    const outcomes: string[] = []
    for (let failAt = 1; failAt <= 6; failAt++) outcomes.push(await steps(failAt))
    expect(outcomes).toContain("ended")
    expect(outcomes.at(-1)).toBe("done")
  })

  test("nothing is written for what was forgotten meanwhile", async () => {
    const folder = tempFolder()
    const expectWanted = () => Promise.reject(new Error("forgotten"))
    await expect(documentsIn(folder).write([lineOf("x")], key, { expectWanted, signal, by: "turn_1" })).rejects.toThrow(
      "forgotten",
    )
    expect(readDocument(folder, "MEMORY.md")).toBeUndefined()
  })

  test("undoing all edits brings back the beginning, byte for byte", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "#", "-", " ", "\n", "\r\n", "中", "<!--", "`", "1.", "\u202E"),
      maxLength: 30,
    })
    const beginning = fc.option(
      fc.string({ unit: fc.constantFrom("a", "\n", "\r\n", "## Memory", "- x", "\uFEFF", " ", "中"), maxLength: 20 }),
      { nil: undefined },
    )
    const said = fc.record({ text, field: fc.option(fc.constantFrom("city", "City ", "name"), { nil: undefined }) })
    await fc.assert(
      fc.asyncProperty(beginning, fc.array(said, { minLength: 1, maxLength: 6 }), async (before, lines) => {
        const folder = tempFolder(before === undefined ? {} : { "workspace/MEMORY.md": before })
        const documents = documentsIn(folder)
        for (const [at, line] of lines.entries())
          await documents.write([{ ...lineOf(line.text, `turn_${at}`), field: line.field }], key, {
            ...options,
            by: `turn_${at}`,
          })
        const workspace = await openFolder(join(folder, "workspace"))
        for (const { id } of await workspace.history()) await workspace.undo({ by: "person", id })
        expect(readDocument(folder, "MEMORY.md")).toBe(before)
      }),
      { numRuns: runs(100), seed: seedOf(2103) },
    )
  })
})

describe("a document that may have so many", () => {
  const text = "## Memory\n\n- x\n"
  const counter = { exact: true, count: (given: string) => 3 * given.length }
  const size = text.length

  test.each([
    ["characters", { maxCharacters: size - 1 }, true],
    ["characters", { maxCharacters: size }, false],
    ["characters", { maxCharacters: size + 1 }, false],
    ["tokens", { maxCharacters: 1, counter, maxTokens: 3 * size - 1 }, true],
    ["tokens", { maxCharacters: 1, counter, maxTokens: 3 * size }, false],
    ["tokens", { maxCharacters: 1, counter, maxTokens: 3 * size + 1 }, false],
  ])("%s takes a line that fits: %j", async (_, limits, isFull) => {
    const folder = tempFolder()
    const documents = documentsIn(folder, nodeFileSystem, limits)
    const { written, full } = await documents.write([lineOf("x")], key, { ...options, by: "turn_1" })
    expect([written, full.length > 0]).toEqual(isFull ? [0, true] : [1, false])
    expect(readDocument(folder, "MEMORY.md")).toBe(isFull ? undefined : text)
  })
})
