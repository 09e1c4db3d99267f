import { expect, test } from "vitest"
import { countPostgres } from "../../../support/count-statements.ts"
import { countTurns } from "../remembered-turns.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

test.each([
  [1, false],
  [10, false],
  [1, true],
])(
  "M13 a remembered turn makes at most 4 transactions and 32 statements beside those of pg-boss, where %i turns are judged together; limits of the day: %s",
  async (batchTurns, isLimited) => {
    const url = await makeDatabase()
    const count = countPostgres()
    const counts = await countTurns(await openStoreFor(url), count, batchTurns, isLimited)
    expect(counts.some(({ recalled }) => recalled > 1)).toBe(true)
    expect(Math.max(...counts.map(({ transactions }) => transactions))).toBeLessThanOrEqual(4)
    expect(Math.max(...counts.map(({ statements }) => statements))).toBeLessThanOrEqual(32)
  },
)
