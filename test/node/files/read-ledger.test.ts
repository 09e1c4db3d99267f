import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createReadLedger, type TextRange } from "../../../src/node/files/read-ledger.ts"
import type { ToolContext } from "../../../src/prompt/tools/tool.ts"

const context: ToolContext = {
  signal: new AbortController().signal,
  key: { agent: "a", conversation: "c", audience: "private", user: "u" },
  turnId: "t",
  clock: { nowMs: () => 0 },
}
const file = (version: number) => ({ path: "a.md", hash: `h${version}` })

describe("what a model has been shown of a file", () => {
  test("D10 is exactly the ranges it was shown, as its own edits move them", () => {
    const range = fc.tuple(fc.nat(40), fc.nat(40)).map(([a, b]): TextRange => ({ start: Math.min(a, b), end: Math.max(a, b) }))
    const step = fc.oneof(
      fc.record({ type: fc.constant("show" as const), range }),
      fc.record({ type: fc.constant("edit" as const), range, insertedUnits: fc.nat(10) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), range, (steps, asked) => {
        const ledger = createReadLedger()
        let version = 0
        let known: boolean[] = Array(200).fill(false)
        for (const one of steps) {
          const { start, end } = one.range
          if (one.type === "show") {
            ledger.show(context, file(version), one.range)
            known = known.map((before, at) => before || (at >= start && at < end))
          } else if (start < end && ledger.shown(context, file(version), one.range) === "shown") {
            version++
            ledger.edited(context, file(version), { range: one.range, insertedUnits: one.insertedUnits })
            known = [...known.slice(0, start), ...Array(one.insertedUnits).fill(true), ...known.slice(end)]
          }
        }
        if (asked.start === asked.end) return
        const expected = known.slice(asked.start, asked.end).every(Boolean)
        expect(ledger.shown(context, file(version), asked) === "shown").toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test("D10 is forgotten when the file holds something else", () => {
    const ledger = createReadLedger()
    ledger.show(context, file(1), "whole")
    expect(ledger.shown(context, file(2), { start: 0, end: 1 })).toBe("changed")
    ledger.show(context, file(2), { start: 5, end: 9 })
    expect(ledger.shown(context, file(2), { start: 0, end: 1 })).toBe("partly")
  })

  test("what stands in the prompt counts as long as the prompt shows all of it", () => {
    const ledger = createReadLedger()
    ledger.show(context, file(1), { injection: "memory_document" })
    const asked = (isShownWhole?: (key: string) => boolean) =>
      ledger.shown({ ...context, ...(isShownWhole ? { isShownWhole } : {}) }, file(1), { start: 0, end: 9 })
    expect(asked()).toBe("shown")
    expect(asked((key) => key === "memory_document")).toBe("shown")
    expect(asked(() => false)).toBe("unread")
  })

  test("old turns are forgotten, so that a long-lived agent keeps little", () => {
    const ledger = createReadLedger()
    ledger.show(context, file(1), "whole")
    for (let turn = 0; turn < 64; turn++) ledger.show({ ...context, turnId: `t${turn}` }, file(1), "whole")
    expect(ledger.shown(context, file(1), { start: 0, end: 1 })).toBe("unread")
    expect(ledger.shown({ ...context, turnId: "t63" }, file(1), { start: 0, end: 1 })).toBe("shown")
  })
})
