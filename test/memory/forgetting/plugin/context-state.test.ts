import { describe, expect, test } from "vitest"
import { afterRun, applyNotes, readState, virtualContextNote } from "../../../../src/memory/forgetting/plugin/context-state.ts"
import { virtualContextSettings } from "../../../../src/memory/forgetting/plugin/virtual-context-settings.ts"

const now = { atMs: 0, turn: 3 }
const settings = virtualContextSettings({ events: { timeZone: "UTC" } }).pulled
const read = { tool: "read", args: { path: "a.md" }, status: "ok", result: "line one\nline two" } as const

test("a note's change of a kind that this version does not know changes nothing", () => {
  const item = { id: "a.md", kind: "file" as const, text: "a", stability: 1, added: now, recalled: now }
  const state = { ...readState(undefined), workspace: [item] }
  const changes = [{ type: "later", area: "workspace", ids: ["a.md"] }] as never
  const applied = applyNotes(state, [virtualContextNote("n", changes)], { now, settings })
  expect(applied.state).toEqual(state)
})

describe("what a turn looked at (R22)", () => {
  test("is kept as a line, under its plain path", () => {
    const { pulled } = afterRun(readState(undefined), { ...read, args: { path: "%[a.md]" } }, { now, settings })
    expect(pulled).toEqual([{ id: "a.md", kind: "file", text: "line one line two", pulled: now }])
  })

  test.each([
    { name: "a run that failed", run: { ...read, status: "failed" as const } },
    { name: "an empty result", run: { ...read, empty: true as const } },
    { name: "another tool", run: { ...read, tool: "write" } },
    { name: "a run that names no file", run: { ...read, args: { path: " " } } },
    { name: "arguments that are no text", run: { ...read, args: { path: 7 } } },
  ])("$name leaves the state itself", ({ run }) => {
    const state = readState(undefined)
    expect(afterRun(state, run, { now, settings })).toBe(state)
  })

  test("is not kept twice: a file of the workspace is at hand already (R15)", () => {
    const state = {
      ...readState(undefined),
      workspace: [{ id: "a.md", kind: "file" as const, text: "a", stability: 1, added: now, recalled: now }],
    }
    expect(afterRun(state, read, { now, settings })).toBe(state)
  })
})
