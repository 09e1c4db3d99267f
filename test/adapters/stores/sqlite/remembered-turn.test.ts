import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { isShipped } from "../../../../src/memory/services/store/store.ts"
import { countSqlite } from "../../../support/count-statements.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { countTurns } from "../remembered-turns.ts"

test.each([
  [1, false],
  [10, false],
  [1, true],
  [10, true],
])(
  "M13 a remembered turn makes at most 4 transactions and 40 statements in a file, where %i turns are judged together; limits of the day: %s",
  async (batchTurns, isLimited) => {
    const count = countSqlite()
    const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), { clock: { nowMs: () => 0 }, pollMs: 600_000 })
    onTestFinished(() => store.close())
    const counts = await countTurns(store, count, batchTurns, isLimited)
    expect(counts.some(({ recalled }) => recalled > 1)).toBe(true)
    expect(Math.max(...counts.map(({ transactions }) => transactions))).toBeLessThanOrEqual(4)
    expect(Math.max(...counts.map(({ statements }) => statements))).toBeLessThanOrEqual(40)
  },
)

test("M36 a store in a file is known as one of this package: a turn does not check again what it reads from one", async () => {
  const store = await openSqliteStore(join(tempFolder(), "store.sqlite"))
  onTestFinished(() => store.close())
  expect(isShipped(store)).toBe(true)
})
