import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { HistoryMessage, SessionKey } from "../../../../src/core/conversation.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const key: SessionKey = { agent: "fay", conversation: "chat", audience: "private" }

function words(from: number, count: number): HistoryMessage[] {
  return Array.from({ length: count }, (_, at) => ({
    role: "user",
    text: (from + at) % 3 === 0 ? " " : `words ${from + at}`,
    speaker: { id: "ann", name: "Ann" },
    turnId: `${from + at}`,
    atMs: from + at,
  }))
}

test("sessions that grow long are loaded alike from memory, from a file, and by their meaning", async () => {
  // More than a process keeps of a session, so that it is cut.
  const count = fc.oneof(fc.nat(4), fc.integer({ min: 400, max: 1_300 }))
  const step = fc.oneof(
    fc.record({ does: fc.constantFrom("commit", "append"), count }),
    fc.record({ does: fc.constant("behind"), count: fc.nat(2_000) }),
    fc.record({ does: fc.constant("load"), count: fc.option(count, { nil: undefined }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const stores = [createInMemoryStore(), await openSqliteStore(join(tempFolder(), "store.sqlite"))]
      let [said, version, all]: [number, number, HistoryMessage[]] = [0, 0, []]
      for (const { does, count: given } of steps) {
        const more = words(said, does === "behind" ? 2 : (given ?? 0))
        const after = does === "behind" && all.length > 0 ? all[(given ?? 0) % all.length] : undefined
        const commit = { expectVersion: version, append: more, state: { said }, jobs: [], ...(after && { after: after.turnId }) }
        if (does === "append") for (const store of stores) await store.append(key, more)
        else if (does !== "load") for (const store of stores) await store.commit(key, commit)
        const last = does === "load" ? given : 80
        if (does === "commit" || does === "behind") version++
        if (after) all = all.slice(0, all.indexOf(after) + 1)
        if (does !== "load") [said, all] = [said + more.length, [...all, ...more]]
        const cut = last === undefined ? 0 : Math.max(0, all.length - last)
        for (const store of stores) {
          const record = await store.load(key, last === undefined ? {} : { last })
          if (version === 0 && all.length === 0) expect(record).toBeUndefined()
          else {
            expect(record).toMatchObject({ version, earlier: all.slice(0, cut).filter(({ text }) => text !== " ").length })
            expect(record?.history).toEqual(all.slice(cut))
          }
        }
      }
      for (const store of stores) await store.close()
    }),
    { numRuns: runs(12), seed: seedOf(82) },
  )
})

test("a long session costs a load of its newest messages no rows of the older ones", async () => {
  const rows: number[] = []
  const file = join(tempFolder(), "store.sqlite")
  const store = await openSqliteStore(file)
  await store.append(key, words(0, 3_000))
  await store.close()
  const log = ({
    query: { sql, parameters },
  }: {
    readonly query: { readonly sql: string; readonly parameters: readonly unknown[] }
  }) => void (sql.includes('from "messages"') && rows.push(Number(parameters.at(-1))))
  const next = await openSqliteStore(file, { log })
  for (let version = 0; version < 3; version++) {
    expect((await next.load(key, { last: 80 }))?.history).toHaveLength(80)
    await next.commit(key, { expectVersion: version, append: words(3_000 + version, 1), state: {}, jobs: [] })
  }
  expect(rows).toEqual([80])
  await next.close()
})
