import { expect, test } from "vitest"
import { newEvent } from "../../../../src/memory/forgetting/events/event-record.ts"
import { readState } from "../../../../src/memory/forgetting/plugin/context-state.ts"
import { nextState } from "../../../../src/memory/forgetting/plugin/next-state.ts"
import { virtualContextSettings } from "../../../../src/memory/forgetting/plugin/virtual-context-settings.ts"

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

test("the parts of a moment are summarised by no record, so they go by their score", () => {
  const talk = { ...event("talk", 8), children: ["part", "other"] }
  const events = [talk, event("part", 9), event("other", 7), event("dull", 1)]
  const settings = virtualContextSettings({ events: { timeZone: "UTC", maxEvents: 2 } })
  const after = nextState({ ...readState(undefined), events }, { turnId: "t", now, history: [] }, settings)
  expect(after.events.map(({ id }) => id)).toEqual(["talk", "part"])
})

test("topics end, pulled information goes stale and faded items go, each at its own edge; what stays is the same list", () => {
  const settings = virtualContextSettings({ events: { timeZone: "UTC" }, pulled: { keepTurns: 6, maxItems: 3 } })
  const moment = (turn: number, atMs = now.atMs) => ({ atMs, turn })
  const pulled = [94, 93, 95].map((turn) => ({ id: `p${turn}`, kind: "file" as const, text: "p", pulled: moment(turn) }))
  const item = (id: string, days: number) => {
    const put = moment(1, now.atMs - days * dayMs)
    return { id, kind: "file" as const, text: id, stability: 1, added: put, recalled: put }
  }
  const state = {
    ...readState(undefined),
    pulled,
    workspace: [item("faded", 12), item("fresh", 11)],
    topic: { id: "t0", fromMs: now.atMs - 40 * 60_000, lastMs: now.atMs - 30 * 60_000 - 1, turns: 3 },
  }
  const after = nextState(state, { turnId: "t1", now, history: [] }, settings)
  const ended = { ...state.topic, beforeMs: now.atMs, endedTurn: 100 }
  expect(after).toEqual({
    ...state,
    pulled: [pulled[0], pulled[2]],
    workspace: [state.workspace[1]],
    topic: { id: "t1", fromMs: now.atMs, lastMs: now.atMs, turns: 1 },
    shownFrom: "t0",
    ended: [ended],
  })
  const kept = { ...state, pulled: pulled.slice(2), workspace: state.workspace.slice(1) }
  const same = nextState(
    { ...kept, topic: { ...state.topic, lastMs: state.topic.lastMs + 1 } },
    { turnId: "t1", now, history: [] },
    settings,
  )
  expect(same.topic).toEqual({ ...state.topic, lastMs: now.atMs, turns: 4 })
  for (const list of ["pulled", "workspace", "events"] as const) expect(same[list]).toBe(kept[list])
  expect([same.ended, same.shownFrom]).toEqual([[], undefined])
})

test("R20: a night is marked as rolled up once nothing of it waits", () => {
  const settings = virtualContextSettings({ events: { timeZone: "UTC" } })
  const [midnight, atMs] = [100 * dayMs, 100 * dayMs + 1]
  const topic = (fromMs: number) => ({ id: "t", fromMs, lastMs: atMs, turns: 1 })
  const ended = (fromMs: number) => ({ ...topic(fromMs), beforeMs: fromMs + 1, endedTurn: 1 })
  const mark = (state: Partial<ReturnType<typeof readState>>) =>
    nextState({ ...readState(undefined), ...state }, { turnId: "t1", now: { atMs, turn: 100 }, history: [] }, settings).rolledUpMs
  const told = event("told", 1)
  const days = event("day:19700102", 1, ["told"])
  expect([
    ["a new session", mark({})],
    ["a topic since midnight", mark({ topic: topic(midnight) })],
    ["a topic before midnight", mark({ topic: topic(midnight - 1) })],
    ["an ended topic before midnight", mark({ ended: [ended(midnight - 1)] })],
    ["an ended topic since midnight", mark({ ended: [ended(midnight)] })],
    ["an event without its day", mark({ events: [told] })],
    ["an event with its day, but without its week", mark({ events: [told, { ...days, startMs: dayMs, endMs: 2 * dayMs }] })],
    ["a night that is marked", mark({ rolledUpMs: midnight, events: [told] })],
    ["a night before", mark({ rolledUpMs: midnight - 1, events: [told] })],
  ]).toEqual([
    ["a new session", midnight],
    ["a topic since midnight", midnight],
    ["a topic before midnight", undefined],
    ["an ended topic before midnight", undefined],
    ["an ended topic since midnight", midnight],
    ["an event without its day", undefined],
    ["an event with its day, but without its week", undefined],
    ["a night that is marked", midnight],
    ["a night before", midnight],
  ])
})
