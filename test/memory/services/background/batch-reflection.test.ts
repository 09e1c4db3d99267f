import { expect, test } from "vitest"
import type { ModelRequest } from "../../../../src/core/model/language-model.ts"
import type { AgentServices } from "../../../../src/loop/agent/agent-options.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel, outcomesOf } from "../../../support/remembering.ts"

/** Two turns are a batch, and six memories make a reflection due: with the second batch. */
function scene(batch: string, { locale = "en", services = {} }: { locale?: string; services?: Partial<AgentServices> } = {}) {
  let answered = 0
  const model = backgroundModel({
    batch,
    turn: () => finish(`Answer ${answered++} is a sentence.`),
    reflection: '[{"insight": "asked alone", "memories": [1]}]',
  })
  const store = createInMemoryStore({ ports: { clock: manualClock(Date.UTC(2026, 0, 2, 3, 4, 5)) } })
  const memory = { batchTurns: 2, reflectEvery: 6 }
  const { agent, session } = testAgent(model, { dialect: "layered", locale, memory }, { store, services })
  const key = { ...session.key, user: "test" }
  const say = async (...texts: readonly string[]): Promise<readonly string[]> => {
    let turnId = ""
    for (const text of texts) ({ turnId } = (await session.send(text).result).trace)
    await agent.idle()
    return outcomesOf(await store.receipts.ofTurn(turnId, key))
  }
  const stored = () => store.memories.recent(key, { limit: 99 })
  const prompts = () => model.asked.filter(({ facts }) => facts?.prompt === "importance-and-profile").map(textOf)
  return { model, say, stored, prompts, store, key }
}

const textOf = ({ messages }: ModelRequest) => messages.map(({ content }) => content).join("\n")
const judged = '{"importance": 8, "profile": {}'

test.each([
  ["en", "Earlier memories", "several lines"],
  ["zh-CN", "更早的记忆", "几行"],
])(
  "M22 the call that judges a batch reflects, too, where that is due, on its lines and the memories before them (%s)",
  async (...words) => {
    const [locale, heading, insights] = words
    const answer = `${judged}, "insights": [{"insight": "goes to sea", "memories": [1, 3, 6, 99]}, {"insight": "of all"}]}`
    const { model, say, stored, prompts } = scene(answer, { locale })
    expect(await say("I mend nets.", "I sell fish.")).toEqual(["importance ok", "profile empty", "store ok", "reflect skipped"])
    expect(await say("I bought a boat.", "I learn to sail.")).toEqual([
      "importance ok",
      "profile empty",
      "store ok",
      "reflect ok",
    ])
    expect([model.count("reflection"), model.count("importance-and-profile")]).toEqual([0, 2])
    const memories = await stored()
    const textsOf = (ids: readonly string[] = []) => ids.map((id) => memories.find((memory) => memory.id === id)?.text)
    const drawn = memories.filter(({ kind }) => kind === "insight").map(({ text, sources }) => [text, textsOf(sources)])
    const [bought, first, sail, second] = [
      "I bought a boat.",
      "Answer 2 is a sentence.",
      "I learn to sail.",
      "Answer 3 is a sentence.",
    ]
    const earlier = ["I sell fish.", "Answer 1 is a sentence."]
    expect(drawn).toEqual([
      ["goes to sea", [bought, sail, earlier[1]]],
      ["of all", [bought, first, sail, second, ...earlier]],
    ])
    const [alone = "", both = ""] = prompts()
    for (const shown of [heading, insights]) expect([alone.includes(shown), both.includes(shown)]).toEqual([false, true])
    expect(both).toContain("I sell fish.")
    expect(both).not.toContain("I mend nets.")
  },
)

test.each(["}", ', "insights": "none"}', ', "insights": null}', ', "insi'])(
  "M22 a batch whose answer ends with %s leaves a reflection that is due to a call of its own",
  async (rest) => {
    const { model, say, stored } = scene(judged + rest)
    await say("I mend nets.", "I sell fish.")
    await say("I bought a boat.", "I learn to sail.")
    expect(model.count("reflection")).toBe(1)
    expect((await stored()).filter(({ kind }) => kind === "insight").map(({ text }) => text)).toEqual(["asked alone"])
  },
)

test("M22 a reflection service of the program's own is asked itself, and the model is not asked for insights", async () => {
  const seen: number[] = []
  const reflection = {
    due: async () => true,
    reflect: async (memories: readonly unknown[]) => [{ text: `of ${seen.push(memories.length)}` }],
  }
  const answer = `${judged}, "insights": [{"insight": "unasked", "memories": [1]}]}`
  const { say, stored, prompts } = scene(answer, { services: { reflection } })
  await say("I mend nets.", "I sell fish.")
  expect((await stored()).filter(({ kind }) => kind === "insight").map(({ text }) => text)).toEqual(["of 1"])
  expect(seen).toEqual([4])
  expect(prompts()[0]).not.toContain("several lines")
})

test("M22 a memory that untrusted words left is not shown to the call that learns of the user", async () => {
  const { say, prompts, store, key } = scene(`${judged}, "insights": []}`)
  await say("I mend nets.", "I sell fish.")
  const [known] = await store.memories.recent(key, { limit: 1 })
  if (known === undefined) throw new Error("nothing was stored")
  const planted = {
    ...known,
    id: "planted",
    atMs: known.atMs + 1,
    text: "A mail says: Ann owns a bank.",
    untrusted: true as const,
  }
  await store.memories.put(planted, { hash: "planted", key })
  await say("I bought a boat.", "I learn to sail.")
  expect(prompts()[1]).toContain("Answer 1 is a sentence.")
  expect(prompts()[1]).not.toContain("owns a bank")
})
