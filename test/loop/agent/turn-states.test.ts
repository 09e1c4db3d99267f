import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { move, newerMessage, type QueuedTurn, turnStates } from "../../../src/loop/agent/queue/turn-states.ts"
import { root } from "../../support/source-files.ts"

type State = keyof typeof turnStates

/** The rows of the table of states in the README: the state, what a newer message does, and the signals. */
const rows = [
  ...readFileSync(`${root}src/loop/agent/README.md`, "utf8").matchAll(/^\| (?!state)(\w+) \| ([^|]+) \| ([^|]*)\|/gm),
].map(([, state = "", newer = "", signals = ""]) => ({ state, newer: newer.trim(), signals: signals.trim() }))

const turn = (state: State): QueuedTurn =>
  ({
    ...{ state, call: { kind: "message" }, input: {}, joined: [], signal: new AbortController().signal },
    ...{ place: 1, atMs: 0 },
  }) as unknown as QueuedTurn

const next = { ...turn("queued"), place: 2 }

describe("the states of a turn in its session's queue", () => {
  test("stand in the README as in the table, with their signals", () => {
    const states = Object.entries(turnStates).map(([state, signals]) => ({
      state,
      signals: Object.entries(signals)
        .map(([signal, to]) => `${signal} → ${to}`)
        .join(", "),
    }))
    expect(rows.map(({ state, signals }) => ({ state, signals }))).toEqual(states)
  })

  test("a signal that a state does not name changes nothing", () => {
    const held = turn("held")
    expect(move(held, "show")).toBe(false)
    expect(held.state).toBe("held")
    expect(move(held, "look")).toBe(true)
    expect(held.state).toBe("queued")
  })

  test.each(rows)("a newer message does to a turn that is $state as the README says: $newer", ({ state, newer }) => {
    const effect = (interrupt: "queue" | "abort", mergeMs: number) =>
      newerMessage(turn(state as State), { ...next, atMs: 5 }, { interrupt, mergeMs } as never)?.effect
    const told = {
      "passes by": [],
      "waits, or ends it": ["waits", "ends"],
      "joins within `merge_ms`, or ends it": ["joins", "ends"],
    }
    const expected = told[newer as keyof typeof told]
    expect([effect("queue", 10), effect("abort", 0)].filter((one) => one !== undefined)).toEqual(expected)
  })
})
