import { expect, test } from "vitest"
import { eventOf, joinsLast } from "../../../../src/apps/server/inspector/recorded-event.ts"
import type { TurnEvent } from "../../../../src/trace/turn-event.ts"

const child = (id: string, type: "text-delta" | "thinking-delta", delta: string) =>
  ({ type: "child", id, name: "helper", event: { type, step: 1, delta } }) as unknown as TurnEvent & { type: "child" }

test("a run of deltas of a child is one event, which lasts until the last of them", () => {
  const last = { ...eventOf(child("1", "text-delta", "one"), 5) }
  expect(joinsLast(last, child("1", "text-delta", " two"), 9)).toBe(true)
  expect(last).toEqual({ type: "child", atMs: 5, endMs: 9, id: "1", name: "helper", text: "text-delta", characters: 7 })
})

test("a delta of another child or kind, and any other event of a child, is an event of its own", () => {
  const last = { ...eventOf(child("1", "text-delta", "one"), 5) }
  const start = { ...child("1", "text-delta", ""), event: { type: "step-start", step: 1, prompt: "planner" } } as never
  for (const next of [child("2", "text-delta", "two"), child("1", "thinking-delta", "two"), start])
    expect(joinsLast(last, next, 9)).toBe(false)
  expect(joinsLast(undefined, child("1", "text-delta", "two"), 9)).toBe(false)
  expect(joinsLast({ ...eventOf(start, 5) }, start, 9)).toBe(false)
})
