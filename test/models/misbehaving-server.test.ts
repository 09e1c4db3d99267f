import { expect, test } from "vitest"
import { playMisbehavingTurns } from "../support/misbehaving-turns.ts"

// The corpora test runs 10,000 of these, which takes about 50 s of processor time.
test("1,500 turns in front of a server that misbehaves each end as the rules say, and nothing is left open", async () => {
  const { counts, unhandled, grownMegabytes, connections, handles } = await playMisbehavingTurns(1_500)
  expect(unhandled).toEqual([])
  expect(handles).toEqual([])
  expect(connections).toBeLessThan(40)
  expect(grownMegabytes).toBeLessThan(10)
  // The server must have misbehaved in every way, and the turns must have ended in every way.
  expect(counts.size).toBe(30)
  for (const [name, count] of counts) expect(count, name).toBeGreaterThan(1)
}, 120_000)
