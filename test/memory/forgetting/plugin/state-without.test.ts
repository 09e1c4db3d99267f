import { expect, test } from "vitest"
import { type EventRecord, newEvent } from "../../../../src/memory/forgetting/events/event-record.ts"
import { readState } from "../../../../src/memory/forgetting/plugin/context-state.ts"
import { stateWithout } from "../../../../src/memory/forgetting/plugin/next-state.ts"
import type { StoredTurn } from "../../../../src/memory/services/store/session-store.ts"

const speaker = { id: "u", name: "User" }

/** Turns that leave, each with a question and an answer a moment later. */
function leaving(turns: Readonly<Record<string, number>>): readonly StoredTurn[] {
  return Object.entries(turns).map(([turnId, atMs]) => ({
    turnId,
    messages: [
      { role: "user" as const, text: "?", speaker, turnId, atMs },
      { role: "assistant" as const, text: "!", speaker, turnId, atMs: atMs + 1 },
    ],
    parent: undefined,
    isAside: false,
  }))
}

function event(id: string, [startMs, endMs]: readonly [number, number], more: Partial<EventRecord> = {}): EventRecord {
  const made = newEvent({ id, grain: "moment", stamp: id, startMs, endMs, text: id, importance: 3 }, { atMs: endMs, turn: 0 })
  return { ...made, ...more }
}

const item = (id: string, atMs: number) => {
  const moment = { atMs, turn: 0 }
  return { id, kind: "file" as const, text: id, stability: 1, added: moment, recalled: { atMs: 999, turn: 9 }, pulled: moment }
}

test("R20: turns that leave take their events, what rests on these, and what was laid at hand since; the rest of a topic is told again", () => {
  const events = [
    event("of t1", [100, 150], { sources: ["t1"] }),
    event("of t1 and t2", [150, 250], { sources: ["t1", "t2"], children: ["its part"] }),
    event("its part", [150, 250], { sources: ["t1", "t2"] }),
    event("of t2 alone", [200, 250], { sources: ["t2"] }),
    event("written by hand", [120, 120]),
    event("day over before", [0, 200], { grain: "day", children: ["of t1"] }),
    event("day that reaches in", [0, 201], { grain: "day", children: ["written by hand"] }),
    event("week of a day that goes", [0, 90], { grain: "week", children: ["day that reaches in"] }),
    event("month of a day that stays", [0, 90], { grain: "month", children: ["day over before"] }),
    event("year of a month that goes", [0, 90], { grain: "year", children: ["month that goes"] }),
    event("month that goes", [0, 90], { grain: "month", children: ["day that reaches in"] }),
    event("day from t1 and t2 itself", [0, 90], { grain: "day", sources: ["t1", "t2"] }),
  ]
  const kept = {
    ...readState(undefined),
    compressed: [{ turnId: "t2", text: "short", shown: true }],
    ended: [{ id: "t0", fromMs: 0, lastMs: 1, turns: 1, beforeMs: 2, endedTurn: 1 }],
    topic: { id: "t2", fromMs: 200, lastMs: 200, turns: 1 },
    report: "asked" as const,
  }
  const state = {
    ...kept,
    events,
    pulled: [item("before", 199), item("then", 200), item("later", 300)],
    workspace: [item("before", 199), item("then", 200), item("later", 300)],
  }
  const after = stateWithout(state, leaving({ t3: 300, t2: 200 }), { atMs: 1_000, turn: 7 })
  expect(after.events.map(({ id }) => id)).toEqual(["of t1", "written by hand", "day over before", "month of a day that stays"])
  expect(after).toEqual({
    ...kept,
    events: events.filter((one) => after.events.includes(one)),
    ended: [...kept.ended, { id: "of t1 and t2~7", fromMs: 150, lastMs: 199, turns: 1, beforeMs: 200, endedTurn: 7 }],
    pulled: [item("before", 199)],
    workspace: [item("before", 199)],
  })
})

test("R20: a topic that began with the turn that leaves still lasts a moment, also where its clock was set back", () => {
  const state = { ...readState(undefined), events: [event("a", [500, 600], { sources: ["t1", "t1b", "t2"] })] }
  const after = stateWithout(state, leaving({ t2: 400 }), { atMs: 1_000, turn: 2 })
  expect(after).toEqual({
    ...readState(undefined),
    ended: [{ id: "a~2", fromMs: 500, lastMs: 500, turns: 2, beforeMs: 501, endedTurn: 2 }],
  })
})
