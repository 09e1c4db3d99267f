import { expect, test } from "vitest"
import { playMisbehavingTurns } from "../support/misbehaving-turns.ts"
import { amount, seedOf } from "../support/size.ts"

const turns = amount("MISBEHAVING_TURNS")

test(`${turns} turns in front of a server that misbehaves each end as the rules say, and nothing is left open`, async () => {
  const { counts, unhandled, grownMegabytes, connections, handles } = await playMisbehavingTurns(turns, seedOf(0) * 1_000_000)
  expect(unhandled).toEqual([])
  expect(handles).toEqual([])
  expect(connections).toBeLessThan(40)
  expect(grownMegabytes).toBeLessThan(10)
  // The server must have misbehaved in every way, and the turns must have ended in every way.
  expect(counts.size).toBe(30)
  for (const [name, count] of counts) expect(count, name).toBeGreaterThan(turns >= 10_000 ? 20 : 0)
})
