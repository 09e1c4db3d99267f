import { expect, test } from "vitest"
import { newEvent } from "../../../src/forgetting/events/event-record.ts"
import { readState } from "../../../src/forgetting/plugin/context-state.ts"
import { nextState } from "../../../src/forgetting/plugin/next-state.ts"
import { virtualContextSettings } from "../../../src/forgetting/plugin/virtual-context-settings.ts"

const dayMs = 86_400_000
const now = { atMs: 100 * dayMs, turn: 100 }

function event(id: string, importance: number, children: readonly string[] = []) {
  const made = newEvent(
    { id, grain: children.length > 0 ? "day" : "moment", stamp: id, startMs: dayMs, endMs: dayMs, text: id, importance },
    { atMs: dayMs, turn: 1 },
  )
  return { ...made, children }
}

test("of too many events those that a record summarises go first, then those that matter least", () => {
  const events = [event("told", 9), event("dull", 1), event("wedding", 10), event("day", 5, ["told"])]
  const kept = (maxEvents: number) => {
    const settings = virtualContextSettings({ events: { timeZone: "UTC", maxEvents } })
    const state = { ...readState(undefined), events }
    return nextState(state, { turnId: "t", now, history: [] }, settings).events.map(({ id }) => id)
  }
  expect([4, 3, 2, 1].map(kept)).toEqual([
    ["told", "dull", "wedding", "day"],
    ["dull", "wedding", "day"],
    ["wedding", "day"],
    ["wedding"],
  ])
})
