import { describe, expect, onTestFinished, test } from "vitest"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel, quickJobs as jobs, soonTimers as soon } from "../../../support/remembering.ts"

const pay = defineTool({ name: "pay", description: "Pays", needsApproval: true, execute: () => "paid" })
const ok = '{"importance": 8, "keys": {}, "profile": {}}'

/** A conversation whose model asks for a payment where the words say "pay", and fails where they say "fail" once it is paid. */
function scene({
  batchTurns,
  audience = "private",
  whileAsked = "withdraw",
}: {
  batchTurns: number
  audience?: "private" | "group"
  whileAsked?: "withdraw" | "wait"
}) {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const store = createInMemoryStore({ jobs, ports: { clock, timers: soon } })
  const judging = { answer: () => ok }
  const judge = () => judging.answer()
  const model = backgroundModel({
    importance: judge,
    batch: judge,
    turn: ({ facts }) => {
      if (facts?.question.includes("pay") && facts.runs.length === 0) return callTool("pay")
      if (facts?.question.includes("fail")) throw new Error("overloaded")
      return finish("I see.")
    },
  })
  const memory = { batchTurns, reflectEvery: 0 }
  const { agent, timers } = testAgent(
    model,
    { dialect: "layered", locale: "en", memory, tools: { whileAsked } },
    { store, tools: [pay], onWarning: () => undefined, ports: { clock } },
  )
  onTestFinished(() => agent.close())
  const session = agent.session({ conversation: "talk", audience })
  const from = (who: string) => ({ from: { id: who, name: who } })
  const settle = async () => {
    for (let round = 0; round < 9; round++) {
      await agent.idle()
      await new Promise(setImmediate)
    }
  }
  const later = () => clock.advance(1_000)
  const say = async (who: string, text: string) => {
    later()
    return session.send(text, from(who)).result
  }
  const hear = async (who: string, text: string) => {
    later()
    await session.hear(text, from(who))
  }
  /** Answers the call that waits. */
  const approve = async () => {
    later()
    const [open] = await session.approvals()
    return session.approve(open?.id ?? "").result
  }
  const kept = async (user: string) => {
    await settle()
    const found = await store.memories.recent({ ...session.key, user }, { limit: 99 })
    return found.filter(({ speaker }) => speaker.id === user).map(({ text }) => text)
  }
  return { agent, timers, session, store, model, judging, settle, later, say, hear, approve, kept }
}

describe.each([1, 3])("words of a question about a call, %i turns a batch", (batchTurns) => {
  test("are judged where a message withdraws it", async () => {
    const { say, kept, later } = scene({ batchTurns })
    await say("ann", "I keep goats.")
    await say("ann", "I moved to Oslo, so pay the rent.")
    later()
    await say("ann", "I keep hens.")
    expect(await kept("ann")).toEqual(["I keep goats.", "I moved to Oslo, so pay the rent.", "I keep hens."])
  })

  test("are judged as those of the person where another one withdraws it", async () => {
    const { say, kept } = scene({ batchTurns })
    await say("ann", "I moved to Oslo, so pay the rent.")
    await say("bob", "I keep hens.")
    expect([await kept("ann"), await kept("bob")]).toEqual([["I moved to Oslo, so pay the rent."], ["I keep hens."]])
  })

  test("are judged where a question withdraws it that is withdrawn itself", async () => {
    const { say, kept } = scene({ batchTurns })
    await say("ann", "I moved to Oslo, so pay the rent.")
    await say("ann", "I keep cows, so pay the milk.")
    await say("ann", "I keep hens.")
    expect(await kept("ann")).toEqual(["I moved to Oslo, so pay the rent.", "I keep cows, so pay the milk.", "I keep hens."])
  })

  test("are judged where a message withdraws it behind many that were heard", async () => {
    const { say, hear, kept } = scene({ batchTurns })
    await say("ann", "I moved to Oslo, so pay the rent.")
    for (let at = 0; at < 90; at++) await hear("cat", `Rain ${at}`)
    await say("bob", "I keep hens.")
    expect([await kept("ann"), await kept("bob")]).toEqual([["I moved to Oslo, so pay the rent."], ["I keep hens."]])
  })

  test("are judged where its turn failed after the yes", async () => {
    const { say, kept, approve } = scene({ batchTurns })
    await say("ann", "I moved to Oslo, so pay the rent and fail.")
    expect(await approve()).toMatchObject({ ok: false })
    await say("ann", "I keep hens.")
    expect(await kept("ann")).toEqual(["I moved to Oslo, so pay the rent and fail.", "I keep hens."])
  })

  test("are not judged where they were said without memory", async () => {
    const { say, kept, approve, session, later } = scene({ batchTurns })
    later()
    await session.setMemory(false)
    await say("ann", "I moved to Oslo, so pay the rent.")
    later()
    await session.setMemory(true)
    expect(await approve()).toMatchObject({ ok: true })
    await say("ann", "I keep hens.")
    expect(await kept("ann")).toEqual(["I keep hens."])
  })

  test("do not hide words that were heard before", async () => {
    const { say, kept, approve, hear } = scene({ batchTurns })
    await say("ann", "I keep goats.")
    await hear("ann", "I am at sea.")
    await say("ann", "I moved to Oslo, so pay the rent.")
    await hear("ann", "I am back.")
    expect(await approve()).toMatchObject({ ok: true })
    expect((await kept("ann")).toSorted()).toEqual([
      "I am at sea.",
      "I am back.",
      "I keep goats.",
      "I moved to Oslo, so pay the rent.",
    ])
  })

  test("do not take words of another one that wait for its answer", async () => {
    const { say, kept, approve, later, session, timers, settle, model, judging } = scene({ batchTurns, whileAsked: "wait" })
    judging.answer = () => '{"importance": 8, "keys": {}}'
    await say("ann", "I moved to Oslo, so pay the rent.")
    later()
    const turn = session.send("I keep hens.", { from: { id: "bob", name: "bob" } })
    while ((await session.history()).length < 2) await new Promise(setImmediate)
    expect(await approve()).toMatchObject({ ok: true })
    await settle()
    timers.advance(300)
    expect(await turn.result).toMatchObject({ ok: true })
    expect([await kept("ann"), await kept("bob")]).toEqual([["I moved to Oslo, so pay the rent."], ["I keep hens."]])
    const judged = model.asked.flatMap(({ facts, messages }) => (facts?.background ? JSON.stringify(messages) : []))
    expect(judged.filter((prompt) => prompt.includes("Oslo") && prompt.includes("hens"))).toEqual([])
    // Of whom they are learnt, too.
    expect(judged.filter((prompt) => prompt.includes("hens") && prompt.includes("profile of the user")).length).toBeGreaterThan(0)
  })

  test("keep no turn before it waiting", async () => {
    const { say, kept } = scene({ batchTurns })
    await say("ann", "I keep goats.")
    await say("ann", "I moved to Oslo, so pay the rent.")
    expect(await kept("ann")).toEqual(["I keep goats."])
  })
})

describe.each([
  ["room", "group", 1],
  ["private conversation", "private", 2],
] as const)("words heard in a %s", (_, audience, batchTurns) => {
  test("before a turn that could not be judged are judged with it, whoever speaks meanwhile", async () => {
    const { say, hear, kept, judging, settle } = scene({ batchTurns, audience })
    const unread = ["I would rather not.", "Not even now."]
    judging.answer = () => unread.shift() ?? ok
    await hear("cat", "I am at sea.")
    await say("ann", "I keep goats.")
    await settle()
    await say("bob", "I keep hens.")
    await settle()
    await say("ann", "I keep cows.")
    expect([await kept("ann"), await kept("cat")]).toEqual([["I keep goats.", "I keep cows."], ["I am at sea."]])
  })

  test("without memory are not judged, also where a turn behind them is judged later or alone", async () => {
    const { say, hear, session, store, kept, judging, settle, model, later, agent } = scene({ batchTurns, audience })
    judging.answer = () => "I would rather not."
    await session.setMemory(false)
    await hear("ann", "I am at sea.")
    later()
    await session.setMemory(true)
    await say("ann", "I keep goats.")
    await settle()
    await say("ann", "I keep cows.")
    await settle()
    judging.answer = () => ok
    await agent.retryMemories()
    expect((await kept("ann")).toSorted()).toEqual(["I keep cows.", "I keep goats."])
    expect(await store.jobs.dead()).toEqual([])
    const judged = model.asked.filter(({ facts }) => facts?.background)
    expect(JSON.stringify(judged.map(({ messages }) => messages))).not.toContain("at sea")
  })

  test("without memory are not judged where an answer behind them is edited", async () => {
    const { say, hear, session, kept, later } = scene({ batchTurns, audience })
    await session.setMemory(false)
    await hear("ann", "I am at sea.")
    later()
    await session.setMemory(true)
    await say("ann", "I keep goats.")
    const [, , answer] = await session.history()
    await session.edit(answer?.id ?? "", "You keep goats.")
    expect(await kept("ann")).toEqual(["I keep goats."])
  })
})
