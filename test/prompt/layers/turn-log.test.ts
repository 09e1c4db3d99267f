import fc from "fast-check"
import { expect, test } from "vitest"
import { onBranch, turnLog, withTurn } from "../../../src/prompt/layers/turn-log.ts"
import { runs, seedOf } from "../../support/size.ts"

type Step = { readonly what: "say" | "rewind" | "choose"; readonly at: number }

const step: fc.Arbitrary<Step> = fc.record({ what: fc.constantFrom("say", "rewind", "choose"), at: fc.nat(30) })

test("C17: at the end of any branch the state is the one that its last turn left", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 45 }), (steps) => {
      // Every turn with the one before it; a turn's number is the state that it leaves.
      const parents: number[] = []
      let path: number[] = []
      let now: { state: unknown; log: ReturnType<typeof turnLog> } = { state: -1, log: turnLog(undefined) }
      const pathTo = (turn: number): number[] => (turn < 0 ? [] : [...pathTo(parents[turn] ?? -1), turn])
      const goTo = (end: readonly number[]) => {
        const gone = new Set(path.filter((turn) => !end.includes(turn)).map(String))
        const back = end.filter((turn) => !path.includes(turn)).map(String)
        const { state, log } = onBranch(now.state, now.log, { gone, back })
        now = { state, log: turnLog(JSON.parse(JSON.stringify(log))) }
        path = [...end]
      }
      for (const { what, at } of steps) {
        if (what === "say") {
          const turn = parents.push(path.at(-1) ?? -1) - 1
          now = { state: turn, log: withTurn(now.log, String(turn), now.state) }
          path = [...path, turn]
        } else if (what === "rewind") goTo(path.slice(0, at % (path.length + 1)))
        else if (parents.length > 0) goTo(pathTo(at % parents.length))
        expect(now.state).toBe(path.at(-1) ?? -1)
      }
    }),
    { numRuns: runs(200), seed: seedOf(19) },
  )
})

test("a log that is malformed counts as empty, and keeps at most fifty turns of each kind", () => {
  expect(turnLog({ before: "x", aside: [{ turnId: 1 }, null] })).toEqual({ before: [], aside: [] })
  let log = turnLog(undefined)
  for (let turn = 0; turn < 120; turn++) log = withTurn(log, `${turn}`, turn)
  expect(log.before).toHaveLength(50)
  const all = new Set(log.before.map(({ turnId }) => turnId))
  const { log: after } = onBranch(
    "now",
    { ...log, aside: log.before.map((turn) => ({ ...turn, after: 0 })) },
    { gone: all, back: [] },
  )
  expect([after.before.length, after.aside.length]).toEqual([0, 50])
  expect(after.aside.at(-1)).toEqual({ turnId: "119", memory: 119, after: "now" })
})
