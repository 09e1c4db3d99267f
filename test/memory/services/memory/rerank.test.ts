import { describe, expect, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import type { MemoryServiceOptions, Rerank, RerankCandidate } from "../../../../src/memory/services/memory/memory-service.ts"
import { reranked } from "../../../../src/memory/services/memory/recorded-memories.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"
import { printTrace } from "../../../../src/trace/print-trace.ts"
import { testAgent } from "../../../support/agents.ts"
import { backgroundModel } from "../../../support/remembering.ts"

const key: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }
const ann = { id: "ann", name: "Ann" }

/** A service that remembers 60 lines about tea, with the messages that it and a turn were warned with. */
async function service(options: Partial<MemoryServiceOptions>) {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const timers = manualTimers(clock)
  const warnings: string[] = []
  const told: string[] = []
  const onWarning = (message: string): void => void warnings.push(message)
  const { memories: records } = createInMemoryStore()
  const made = createMemoryService({ records, clock, timers, onWarning, ...options })
  for (let at = 0; at < 60; at++) {
    const memory = {
      id: `m${at}`,
      kind: "dialogue",
      text: `Tea number ${at}`,
      speaker: ann,
      atMs: at,
      turnId: `t${at}`,
      turn: at,
    }
    await made.remember({ ...memory, kind: "dialogue" }, key)
  }
  const recall = async (query: string, limit = 3, signal = new AbortController().signal) =>
    (await made.recall(query, key, { limit, signal, warn: (message) => told.push(message) })).map(({ id }) => id)
  return { made, timers, recall, warnings, told }
}

const number = ({ text }: RerankCandidate): number => Number(text.split(" ").at(-1))

describe("rerank", () => {
  test("is shown of each memory what is known of it, and no member without a value", async () => {
    const whole = { id: "a", text: "tea", speaker: ann.name, atMs: 0 }
    const shown: unknown[] = []
    const rerank: Rerank = (_, candidates) => {
      shown.push(...candidates)
      return candidates.map(() => 1)
    }
    const found = [whole, { id: "b", text: "milk" }].map((memory) => ({ ...memory, kind: "dialogue" }) as never)
    const { signal } = new AbortController()
    await reranked({ rerank } as never, found, { query: "tea", key, signal })
    expect(shown).toStrictEqual([whole, { id: "b", text: "milk" }])
  })

  test("M8 orders the first 50 memories, best first, and recall cuts to the limit afterwards", async () => {
    const asked: (readonly [string, number])[] = []
    const rerank: Rerank = (question, candidates) => {
      asked.push([question, candidates.length])
      return candidates.map((candidate) => -number(candidate))
    }
    const { recall } = await service({})
    const before = await recall("Which tea?", 60)
    const { recall: better, made } = await service({ rerank })
    const lowest = before.slice(0, 50).map((id) => Number(id.slice(1)))
    const expected = lowest.sort((a, b) => a - b).map((at) => `m${at}`)
    expect(await better("Which tea?")).toEqual(expected.slice(0, 3))
    expect(await better("Which tea?", 60)).toEqual([...expected, ...before.slice(50)])
    expect(asked).toEqual([
      ["Which tea?", 50],
      ["Which tea?", 50],
    ])
    const found = await made.recall("Which tea?", key, { limit: 1, signal: new AbortController().signal })
    expect(found).toMatchObject([{ speaker: "Ann", reranked: -Number(expected[0]?.slice(1)) }])
  })

  test("does not run for a blank question, for no memories, nor for a single one", async () => {
    const rerank: Rerank = () => {
      throw new Error("not asked")
    }
    const { recall, warnings } = await service({ rerank })
    expect(await recall("")).toHaveLength(3)
    expect(await recall("Which tea?", 0)).toEqual([])
    expect(await recall("zebra")).toEqual([])
    expect(warnings).toEqual([])
  })

  test.each<[string, Rerank, RegExp]>([
    ["throws", () => Promise.reject(new Error("out of order")), /rerank failed: out of order\.$/],
    ["returns too few numbers", () => [1, 2], /expected 50 finite numbers, found 2 values/],
    ["returns what is no number", (_, all) => all.map(() => Number.NaN), /expected 50 finite numbers/],
    ["returns nothing", () => undefined as never, /expected 50 finite numbers, found undefined/],
  ])("that %s leaves the order of recall, and tells the program and the turn", async (_, rerank, message) => {
    const { recall: plain } = await service({})
    const { recall, warnings, told } = await service({ rerank })
    expect(await recall("Which tea?")).toEqual(await plain("Which tea?"))
    expect(warnings).toEqual([expect.stringMatching(message)])
    expect(told).toEqual(warnings)
  })

  test("M8 that takes too long leaves the order of recall, and its signal aborts", async () => {
    let signal: AbortSignal | undefined
    const begun = Promise.withResolvers<void>()
    const hanging: Rerank = (_, __, options) => {
      signal = options.signal
      begun.resolve()
      return new Promise(() => undefined)
    }
    const { recall: plain } = await service({})
    const { recall, timers, told } = await service({ rerank: hanging, rerankTimeoutMs: 700 })
    const found = recall("Which tea?")
    await begun.promise
    expect(timers.pending).toBe(1)
    timers.advance(700)
    expect(await found).toEqual(await plain("Which tea?"))
    expect(told).toEqual(["Memories stand in the order of recall: rerank took longer than 700 ms."])
    expect([signal?.aborted, timers.pending]).toEqual([true, 0])
  })

  test("rejects with the reason of its signal when that aborts", async () => {
    const { recall, timers } = await service({ rerank: () => new Promise(() => undefined) })
    const stop = new AbortController()
    const found = recall("Which tea?", 3, stop.signal)
    await timers.whenPending(1)
    stop.abort(new Error("no longer wanted"))
    await expect(found).rejects.toThrow("no longer wanted")
  })
})

test("an agent's rerank makes the order of a turn's memories, and its trace tells a failure", async () => {
  const store = createInMemoryStore()
  let isBroken = false
  const rerank: Rerank = (_, candidates) => {
    if (isBroken) throw new Error("no weights")
    return candidates.map(({ text }) => (text.includes("oolong") ? 1 : 0))
  }
  const { agent, session } = testAgent(backgroundModel(), { memory: { keys: false } }, { store, services: { rerank } })
  for (const words of ["I drink green tea each day.", "Sometimes oolong tea."]) await session.send(words, { from: ann }).result
  await agent.idle()
  const ask = () => agent.session("other").send("Which green tea do I drink each day?", { from: ann }).result
  const { trace } = await ask()
  expect(trace.recalled?.[0]).toMatchObject({ text: "Sometimes oolong tea.", reranked: 1 })
  expect(printTrace(trace)).toContain("· reranked 1.00")
  isBroken = true
  const { trace: second } = await ask()
  expect(second.recalled?.[0]?.text).toBe("I drink green tea each day.")
  expect(second.warnings).toContainEqual({
    kind: "recall",
    message: "Memories stand in the order of recall: rerank failed: no weights.",
  })
})
