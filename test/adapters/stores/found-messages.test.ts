import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { HistoryMessage } from "../../../src/core/conversation.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { MessageFilter } from "../../../src/memory/services/store/session-store.ts"
import { runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const key = { agent: "fay", conversation: "talk", audience: "group" } as const
const speakers = [
  { id: "ann", name: "Ann" },
  { id: "bob", name: "Bob" },
  { id: "Ann", name: "bob" },
]
const texts = ["Tea and cake", "TEA", "50 % of it_all", "a\\b", "É", "é", " ", "nothing"]

const messages: readonly HistoryMessage[] = Array.from({ length: 60 }, (_, at) => ({
  role: at % 3 === 0 ? ("assistant" as const) : ("user" as const),
  text: texts[(at * 7) % texts.length] as string,
  speaker: speakers[(at * 5) % speakers.length] as HistoryMessage["speaker"],
  turnId: `t${at >> 1}`,
  atMs: at >> 2,
}))

/** What a filter means, criterion by criterion. */
function naive({ speaker, role, fromMs, beforeMs, containing, skip = 0, limit }: MessageFilter): readonly HistoryMessage[] {
  const fitting = messages
    .filter((message) => role === undefined || message.role === role)
    .filter((message) => speaker === undefined || [message.speaker.id, message.speaker.name].includes(speaker))
    .filter(({ atMs }) => fromMs === undefined || atMs >= fromMs)
    .filter(({ atMs }) => beforeMs === undefined || atMs < beforeMs)
    .filter(({ text }) => containing === undefined || text.toLowerCase().includes(containing.toLowerCase()))
  const end = Math.max(0, fitting.length - Math.max(0, skip))
  return fitting.slice(Math.max(0, end - Math.max(0, limit)), end)
}

const some = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
const filters = fc.record({
  speaker: some("ann", "Ann", "bob", "Bob", "nobody"),
  role: some("user" as const, "assistant" as const),
  fromMs: some(-1, 0, 3, 7, 14, 15),
  beforeMs: some(0, 1, 7, 15, 99),
  containing: some("tea", "CAKE", "%", "_", "\\", "é", "", " "),
  skip: some(-1, 0, 1, 5, 99),
  limit: fc.constantFrom(-1, 0, 1, 2, 7, 60, 99),
})

test("R13: each store finds the messages that meet every criterion, the newest of them, oldest first", async () => {
  const file = await openSqliteStore(join(tempFolder(), "store.sqlite"))
  const stores = [createInMemoryStore(), file]
  for (const store of stores) await store.commit(key, { expectVersion: 0, append: messages, state: {}, jobs: [] })
  await fc.assert(
    fc.asyncProperty(filters, async (given) => {
      const filter = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== undefined),
      ) as unknown as MessageFilter
      for (const store of stores) expect(await store.messages(key, filter)).toEqual(naive(filter))
    }),
    { numRuns: runs(4_000), seed: seedOf(13) },
  )
  await file.close()
})
