import { expect, test } from "vitest"
import { learnedFolder } from "../../../src/node/documents/learned-folder.ts"
import { changeLines, daysOf, listEntry, saidBy, withLines, withoutDays } from "../../../src/node/documents/learned-lines.ts"
import { lineHash, nothingLearned, type WrittenLine } from "../../../src/node/documents/learned-record.ts"
import { documentTidier } from "../../../src/node/documents/tidy-document.ts"
import type { Confirm } from "../../../src/prompt/tools/tool.ts"
import { manualClock } from "../../../src/testing/index.ts"
import { endings } from "../../support/endings.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const key = { agent: "fay", conversation: "c", audience: "private", user: "user" } as const
const heading = "## Noted"
const isOwn = (line: string): boolean => line.startsWith("- own")

test("a line that a model wrote begins nothing but an entry of a list, and stands under its heading", async () => {
  const added = ["- own 1", "- own 2"]
  const into = (text: string) => () => JSON.stringify(withLines(text, added, { heading, isOwn }))
  const begun = [
    "# a",
    "> a",
    "* a",
    "+ a",
    "= a",
    "| a",
    "< a",
    "[a]",
    "`a`",
    "~a",
    "-a",
    "1. a",
    "2) a",
    "3 a",
    "1234567890. a",
    "a # b",
  ]
  const tasks = {
    "each beginning": () => begun.map((text) => listEntry(text, "")).join("\n"),
    "each beginning behind a day": () => begun.map((text) => listEntry(text, "2026-01-02: ")).join("\n"),
    "marks inside": () => listEntry("a <!-- b ``` c ~~~ d\ne\u202ef", ""),
    "400 characters": () => listEntry("x".repeat(400), "").length,
    "401 characters": () => [listEntry("x".repeat(401), "").length, listEntry("x".repeat(401), "").slice(-2)],
    "a cut between two characters": () => listEntry(`${"x".repeat(399)}👨‍👩‍👧y`, "").slice(-3),
    "into nothing": into(""),
    "into a text": into("Mine."),
    "into a text with an empty line": into("Mine.\n\n"),
    "into lines that end with CRLF": into("Mine.\r\nToo.\r\n"),
    "under the heading": into(`Mine.\n\n${heading}\n\nMine too.\n`),
    "under the heading without an empty line": into(`${heading}\nMine.\n`),
    "under the heading at the end": into(`Mine.\n\n${heading}`),
    "under the heading and its empty line": into(`${heading}\n\n`),
    "behind its own lines": into(`${heading}\n\n- own 0\n- mine\n- own x\nMine.\n`),
    "behind its own line at the end": into("- own 0"),
    "no lines": () => withLines("Mine.", [], { heading, isOwn }),
    "lines that change and go": () =>
      JSON.stringify(changeLines("a\r\nb\nc", (line) => (line === "b" ? undefined : line.toUpperCase()))),
    days: () =>
      ["- 2026-01-02: a", "* 2026-01-02, 2026-01-03: a", "2026-01-02 – 2026-03-04: a", "- a 2026-01-02: b", "- 2026-1-2: a"].map(
        (line) => [daysOf(line), withoutDays(line), saidBy(line)],
      ),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/lines.txt")
})

/** A folder whose MEMORY.md has lines that background work wrote. */
async function written(lines: readonly string[], { tidied, fields = [] }: { tidied?: number; fields?: readonly string[] } = {}) {
  const origin = { agent: "fay", conversation: "c", audience: "private", user: "user", turnId: "t", fromMs: 0, untilMs: 0 }
  const origins = [origin] as WrittenLine["origins"]
  const line = (text: string): WrittenLine => {
    return { path: "MEMORY.md", hash: lineHash(text), origins, ...(fields.includes(text) && { field: "f" }) }
  }
  const place = learnedFolder(tempFolder(), { clock: manualClock(0) }, () => undefined)
  await place.create(undefined, async (open) => {
    await open.save({ ...nothingLearned, lines: lines.map(line), tidied: tidied === undefined ? {} : { "MEMORY.md": tidied } })
    await open.edit("MEMORY.md", "test", () => lines.map((text) => `${text}\n`).join(""))
  })
  const now = () => place.locked(undefined, async ({ record, read }) => ({ record, text: await read("MEMORY.md") }))
  return { place, now }
}

test("a document is tidied where it is nearly full and ten lines have come since, and a line that changed stays", async () => {
  const signal = new AbortController().signal
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `- 2026-01-0${(at % 6) + 1}: line ${at}`)
  const tidier = async (
    made: ReturnType<typeof written>,
    { share = 0.81, confirm }: { share?: number; confirm?: Confirm } = {},
  ) => {
    const warnings: string[] = []
    const settings = {
      nearLimitShare: 0.8,
      share: () => share,
      confirm: () => confirm,
      warn: (words: string) => void warnings.push(words),
      signal,
    }
    return { ...documentTidier((await made).place, settings), warnings }
  }
  const crowded =
    (made: ReturnType<typeof written>, options = {}) =>
    async () => {
      const found = await (await tidier(made, options)).crowded(key, { signal })
      return found === undefined
        ? "not crowded"
        : `${found.path}: ${found.lines.length} lines, the first "${found.lines[0]?.text.slice(0, 20)}"`
    }
  const merge =
    (made: ReturnType<typeof written>, numbers: readonly (readonly number[])[], options = {}) =>
    async () => {
      const own = await tidier(made, options)
      const found = (await own.crowded(key, { signal })) ?? { path: "MEMORY.md", lines: [] }
      const merges = numbers.map((of, at) => ({ lines: of, text: `merged ${at}` }))
      const outcome = await own.tidy(
        found as never,
        merges as never,
        { by: "tidy", expectWanted: async () => undefined, signal } as never,
      )
      const { now } = await made
      // A question is answered, and its change made, behind the outcome.
      await expect.poll(async () => own.warnings.length > 0 || (await now())?.record.waiting.length === 0).toBe(true)
      const { text = "", record: { waiting, tidied } = nothingLearned } = (await now()) ?? {}
      return [
        JSON.stringify(outcome),
        text.trimEnd(),
        `waiting ${waiting.length}, tidied ${JSON.stringify(tidied)}`,
        ...own.warnings,
      ].join("\n")
    }
  const asked: object[] = []
  const answering =
    (answer: boolean): Confirm =>
    async (request) => {
      asked.push(request)
      return answer
    }
  const tasks = {
    "exactly at the share": crowded(written(lines(3)), { share: 0.8 }),
    "over it": crowded(written(lines(3))),
    "of one line": crowded(written(lines(1))),
    "of two lines": crowded(written(lines(2))),
    "of two lines, one a field": crowded(written(lines(2), { fields: lines(1) })),
    "nine lines since": crowded(written(lines(12), { tidied: 3 })),
    "ten lines since": crowded(written(lines(13), { tidied: 3 })),
    "many lines": crowded(written(lines(61))),
    "two lines become one": merge(written(lines(4)), [[1, 3]]),
    "lines of five days become one": merge(written(lines(6)), [[1, 2, 3, 4, 5]]),
    "lines of four days become one": merge(written(lines(6)), [[1, 2, 3, 4]]),
    "lines without days become one": merge(written(["- a", "- b"]), [[1, 2]]),
    "nothing becomes one": merge(written(lines(3)), []),
    "lines that are not there": merge(written(lines(3)), [[7, 8]]),
    "after a yes": merge(
      written(lines(4)),
      [
        [1, 2],
        [3, 4],
      ],
      { confirm: answering(true) },
    ),
    "after a no": merge(written(lines(4)), [[1, 2]], { confirm: answering(false) }),
    "after a failure": merge(written(lines(4)), [[1, 2]], { confirm: () => Promise.reject(new Error("no terminal")) }),
    "what was asked": () => asked,
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/tidied.txt")
})
