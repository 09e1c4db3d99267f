import { expect, test } from "vitest"
import { playMisbehavingTurns } from "../support/misbehaving-turns.ts"

test("10,000 turns in front of a server that misbehaves each end as the rules say, and nothing is left open", async () => {
  const { counts, unhandled, grownMegabytes, connections, handles } = await playMisbehavingTurns(10_000)
  expect(unhandled).toEqual([])
  expect(handles).toEqual([])
  expect(connections).toBeLessThan(40)
  expect(grownMegabytes).toBeLessThan(10)
  expect(counts.size).toBe(30)
  for (const [name, count] of counts) expect(count, name).toBeGreaterThan(20)
}, 300_000)
