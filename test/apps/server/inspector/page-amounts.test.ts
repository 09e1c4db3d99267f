import { describe, expect, test } from "vitest"
import { missingMoney, moneyText, timeText } from "../../../../page/amounts.ts"
import { wordsFor } from "../../../../page/words.ts"
import type { RecordedRequest, TurnRecord } from "../../../../src/apps/server/inspector/turn-record.ts"

test("a time of less than a second stands in milliseconds", () => {
  expect([0, 52.4, 999, 1_000, 61_250].map(timeText)).toEqual(["0 ms", "52 ms", "999 ms", "1.0 s", "61.3 s"])
})

test("a small sum of money is not rounded to nothing", () => {
  expect([0, 0.0000025, 0.00312345, 12.5].map(moneyText)).toEqual(["0", "0.0000025", "0.00312", "12.5"])
})

describe("a turn without money", () => {
  const words = wordsFor("en")
  const asked = (model: string, more: Partial<RecordedRequest> = {}) => ({ model, ...more }) as RecordedRequest
  const turn = (given: Partial<TurnRecord>) =>
    ({ requests: [], children: [], outcome: { state: "answered", stopReason: "finish" }, ...given }) as unknown as TurnRecord
  const usage = { inputTokens: 10 }

  test("tells each model that has no price, also that of a child", () => {
    const child = { id: "1", name: "helper", requests: [asked("b", { usage })], tools: [], children: [] }
    const requests = [asked("a", { usage }), asked("a", { usage }), asked("c", { usage, cost: 1 })]
    expect(missingMoney(turn({ requests, children: [child] }), words)).toBe(words.noPrice("a, b"))
  })

  test("tells a model that did not tell its tokens", () => {
    expect(missingMoney(turn({ requests: [asked("demo")] }), words)).toBe(words.noUsage("demo"))
  })

  test("tells nothing where there is money, nothing was asked, or it runs", () => {
    const requests = [asked("a", { usage })]
    expect(missingMoney(turn({ requests, cost: 0 }), words)).toBeUndefined()
    expect(missingMoney(turn({}), words)).toBeUndefined()
    expect(missingMoney(turn({ requests, outcome: { state: "running", doing: "planner" } }), words)).toBeUndefined()
  })
})
