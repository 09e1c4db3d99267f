import fc from "fast-check"
import { expect, test } from "vitest"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { usedAgain } from "../../../../src/memory/services/store/memory-again.ts"
import type { StoredMemory } from "../../../../src/memory/services/store/records.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { testAgent } from "../../../support/agents.ts"
import { backgroundModel, outcomesOf } from "../../../support/remembering.ts"
import { runs, seedOf } from "../../../support/size.ts"

const key = { agent: "test", conversation: "old", audience: "private", user: "test" } as const
const dayMs = 86_400_000
const memory: StoredMemory = {
  ...key,
  id: "a",
  kind: "dialogue",
  text: "I like tea.",
  speaker: { id: "test", name: "主人" },
  atMs: 0,
  turnId: "t",
  turn: 0,
}

test("a use never makes a memory less stable, counts once, and counts more the longer ago it came up", () => {
  const moments = fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(moments, fc.array(fc.integer({ min: 0, max: 4_000 }), { maxLength: 3 }), (days, again) => {
      let one = { ...memory, againAtMs: again.map((day) => day * dayMs) }
      for (const day of days.toSorted((a, b) => a - b)) {
        const next = { ...usedAgain(one, day * dayMs), againAtMs: one.againAtMs }
        expect(next.stability ?? 1).toBeGreaterThanOrEqual(one.stability ?? 1)
        expect(next.stability ?? 1).toBeLessThanOrEqual(6 * (one.stability ?? 1))
        expect(usedAgain(next, day * dayMs)).toBe(next)
        one = next
      }
      const [first = 0] = days
      const of = (day: number) => usedAgain(memory, day * dayMs).stability ?? 1
      expect(of(first + 1)).toBeGreaterThanOrEqual(of(first))
    }),
    { seed: seedOf(21), numRuns: runs(100) },
  )
})

test("M3 of two memories that fit alike, the one that was used comes first, also after a restart", async () => {
  const { memories } = createInMemoryStore()
  const clock = manualClock(120 * dayMs)
  const found = async () => {
    const service = createMemoryService({ records: memories, clock })
    const hits = await service.recall("Which tea?", key, { limit: 2, signal: new AbortController().signal })
    return hits.map(({ id }) => id)
  }
  const service = createMemoryService({ records: memories, clock })
  await service.remember(memory, key)
  await service.remember({ ...memory, id: "b", text: "We like tea.", turnId: "t2", turn: 40, atMs: 1 }, key)
  expect(await found()).toEqual(["b", "a"])
  await service.used?.(["a"], key, { atMs: 100 * dayMs })
  expect(await found()).toEqual(["a", "b"])
})

const tea = ["I drink oolong tea.", "I drink green tea with mint.", "I drink black tea at five."]

async function scene(profile: Parameters<typeof testAgent>[1] = {}, more = "") {
  const store = createInMemoryStore()
  const clock = manualClock(50 * dayMs)
  const made = testAgent(backgroundModel(), profile, { store, ports: { clock } })
  const own = { ...key, agent: made.session.key.agent }
  const service = createMemoryService({ records: store.memories, clock })
  for (const [at, text] of tea.entries())
    await service.remember({ ...memory, id: `m${at}`, text: text + more, turnId: `t${at}`, turn: at * 9 }, own)
  const used = async () =>
    (await store.memories.recent(own, { limit: 9 })).flatMap(({ id, usedAtMs }) => (usedAtMs === undefined ? [] : [id]))
  const ask = async (question: string) => {
    const { trace } = await made.session.send(question).result
    await made.agent.idle()
    const receipts = await store.receipts.ofTurn(trace.turnId, { ...own, conversation: made.session.key.conversation })
    return { recalled: trace.recalled?.map(({ id }) => id) ?? [], receipts }
  }
  return { ...made, used, ask }
}

test("the memories that stood in the prompt of an answered turn are used; a receipt tells how many", async () => {
  const { ask, used } = await scene()
  const { recalled, receipts } = await ask("Do I drink oolong?")
  expect(recalled).toContain("m0")
  expect(await used()).toEqual(recalled.toSorted())
  expect(outcomesOf(receipts)[0]).toBe("use ok")
  expect(receipts[0]?.message).toBe(`recalled memories in the prompt: ${recalled.length}`)
})

test("memories that the prompt left out are not used", async () => {
  const { ask, used } = await scene({ context: { off: ["memories"] } })
  expect((await ask("Do I drink oolong?")).recalled).toContain("m0")
  expect(await used()).toEqual([])
})

test("a turn that waits to be judged with later ones tells of the use when the next one follows", async () => {
  const { session, used, agent } = await scene({ memory: { batchTurns: 5 } })
  const { trace } = await session.send("Do I drink oolong?").result
  await session.send("Is it late?").result
  await agent.idle()
  expect(await used()).toEqual(trace.recalled?.map(({ id }) => id).toSorted())
})

test("if not all fit, the most relevant memories stay in the prompt, and only they are used", async () => {
  const question = "Do I drink oolong tea with mint?"
  const more = " So it is said, and so it is done, day after day and year after year.".repeat(4)
  const { session } = await scene({}, more)
  const { tokens } = await session.preview(question)
  const short = await scene({ budget: { tokens: tokens - 40, answerTokens: 0 } }, more)
  const { recalled } = await short.ask(question)
  expect(recalled).toHaveLength(3)
  expect(await short.used()).toEqual(recalled.slice(0, 2).toSorted())
})
