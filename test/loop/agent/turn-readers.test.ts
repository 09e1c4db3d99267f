import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { StartedTurn, type Turn } from "../../../src/loop/agent/turn.ts"
import type { TurnEvent, TurnResult } from "../../../src/trace/turn-event.ts"
import { runs } from "../../support/size.ts"

const result = { ok: false } as TurnResult

/** A turn that says what the test tells it to. */
function told(): { turn: Turn; say: (event: TurnEvent) => void; end: () => void; fail: () => void } {
  const { promise, resolve } = Promise.withResolvers<TurnResult>()
  let say: (event: TurnEvent) => void = () => undefined
  const turn = new StartedTurn("t", (emit, signal) => {
    say = emit
    signal.addEventListener("abort", () => resolve(result))
    return promise
  })
  return { turn, say: (event) => say(event), end: () => resolve(result), fail: () => turn.abort() }
}

const word = (index: number): TurnEvent => ({ type: "text-delta", delta: `${index} ` }) as TurnEvent
const other = { type: "bubble", text: "b" } as unknown as TurnEvent

/** Lets everything go on that waits for nothing else. */
const settled = async () => {
  for (let round = 0; round < 20; round++) await Promise.resolve()
}

/** Something that a turn or one of its readers does. */
const deed = fc.oneof(
  { weight: 4, arbitrary: fc.constant("say" as const) },
  fc.constant("other" as const),
  fc.constant("settle" as const),
  fc.record({ reader: fc.nat(3), does: fc.constantFrom("next", "next", "next", "return") }),
)

describe("readers of a turn", () => {
  test("each see all deltas in order, however their calls, the deltas and the end fall together", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 40 }), fc.boolean(), async (deeds, isAborted) => {
        const { turn, say, end, fail } = told()
        const readers = Array.from({ length: 4 }, () => ({
          from: undefined as AsyncIterator<string> | undefined,
          asked: [] as Promise<IteratorResult<string>>[],
          left: Number.POSITIVE_INFINITY,
        }))
        let said = 0
        for (const step of deeds) {
          if (step === "say") say(word(said++))
          else if (step === "other") say(other)
          else if (step === "settle") await settled()
          else {
            const reader = readers[step.reader]
            if (!reader) continue
            reader.from ??= turn.textStream[Symbol.asyncIterator]()
            if (step.does === "next") reader.asked.push(reader.from.next())
            else {
              expect(await reader.from.return?.()).toEqual({ done: true, value: undefined })
              reader.left = Math.min(reader.left, said)
            }
          }
        }
        if (isAborted) fail()
        else end()
        await turn.result
        for (const { from, asked, left } of readers) {
          if (!from) continue
          while (left === Number.POSITIVE_INFINITY && asked.length <= said + 1) asked.push(from.next())
          const got = await Promise.all(asked)
          const values = got.flatMap(({ done, value }) => (done ? [] : [value]))
          const most = Math.min(said, left)
          expect(values).toEqual(Array.from({ length: values.length }, (_, index) => `${index} `))
          expect(values.length).toBeLessThanOrEqual(most)
          if (left === Number.POSITIVE_INFINITY) expect(values.length).toBe(said)
          // After the end there is nothing but the end.
          const firstEnd = got.findIndex(({ done }) => done)
          expect(got.slice(firstEnd < 0 ? got.length : firstEnd).every(({ done }) => done)).toBe(true)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test("that wait when others leave go on, and a break answers a call that waits", async () => {
    const { turn, say, end } = told()
    const [stays, leaves] = [turn.textStream, turn.textStream].map((stream) => stream[Symbol.asyncIterator]())
    const waits = [stays?.next(), leaves?.next()]
    await leaves?.return?.()
    expect(await waits[1]).toEqual({ done: true, value: undefined })
    say(word(0))
    expect(await waits[0]).toEqual({ done: false, value: "0 " })
    end()
    expect(await stays?.next()).toEqual({ done: true, value: undefined })
  })

  test("see the events of a turn that failed, the end last, also when they come late", async () => {
    const { turn, say, fail } = told()
    say(word(0))
    fail()
    await turn.result
    const events: string[] = []
    for await (const { type } of turn) events.push(type)
    for await (const text of turn.textStreamWithThinking()) events.push(text)
    expect(events).toEqual(["text-delta", "turn-end", "0 "])
  })

  test("wait for one promise a delta, whatever else the turn says", async () => {
    const { turn, say, end } = told()
    const deltas = turn.textStream[Symbol.asyncIterator]()
    const next = deltas.next()
    let isThere = false
    void next.then(() => {
      isThere = true
    })
    say(other)
    await settled()
    expect(isThere).toBe(false)
    say(word(0))
    await Promise.resolve()
    expect(isThere).toBe(true)
    end()
    expect(await turn.result).toBe(result)
  })
})
