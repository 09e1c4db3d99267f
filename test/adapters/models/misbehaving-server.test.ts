import { expect, test } from "vitest"
import { playMisbehavingTurns } from "../../support/misbehaving-turns.ts"
import { amount, seedOf } from "../../support/size.ts"

const turns = amount("MISBEHAVING_TURNS")

/** How the server answers, and how turns end. */
const kinds = [
  ...["200 as a web page", "200 as an error document", "200 as some document", "401", "404", "404 as a web page", "429"],
  ...["429 for a quota", "500", "502 as a web page", "503 without a body", "error event", "cut at once", "empty stream"],
  ...["closed in mid-event", "cut in mid-message", "cut after the finish", "no finish", "stalled", "endless"],
  ...["complete", "complete, without [DONE]", "complete, left open after [DONE]"],
  ...["finish", "truncated", "max-steps", "aborted", "model", "model-stall", "model-empty"],
]

/** Three equal calls in a row, all as JSON: so rare that a run may have none. */
const rareKinds = ["repeated-call"]

test(`${turns} turns in front of a server that misbehaves each end as the rules say, and nothing is left open`, async () => {
  const { counts, unhandled, grownMegabytes, connections, handles } = await playMisbehavingTurns(turns, seedOf(0) * 1_000_000)
  expect(unhandled).toEqual([])
  expect(handles).toEqual([])
  expect(connections).toBeLessThan(40)
  expect(grownMegabytes).toBeLessThan(10)
  // The server must have misbehaved in every way, and the turns must have ended in every way, and in no other.
  expect([...counts.keys()].filter((kind) => !rareKinds.includes(kind)).sort()).toEqual([...kinds].sort())
  for (const kind of kinds) expect(counts.get(kind), kind).toBeGreaterThan(turns >= 10_000 ? 10 : 0)
})
