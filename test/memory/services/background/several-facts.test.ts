import { join } from "node:path"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ModelRequest } from "../../../../src/core/model/language-model.ts"
import { readKeys } from "../../../../src/memory/services/background/memory-keys.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel } from "../../../support/remembering.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const textOf = ({ messages }: ModelRequest) => messages.map(({ content }) => content).join("\n")
const fact = <T extends string | null>(subject: string, relation: string, value: T) => ({ subject, relation, value })

const scenes = {
  en: {
    told: "I moved to Oslo, quit Siemens and my sister Anna is getting married in May",
    facts: [fact("user", "city", "Oslo"), fact("user", "job", null), fact("Anna", "wedding", "2026-05")],
    newer: "We live in Bergen now",
    newFacts: [fact("I", "home", "Bergen")],
    asks: ["Where do I live?", "When is Anna getting married?", "When did I move to Oslo?", "Where did I live before?"],
  },
  "zh-CN": {
    told: "我搬到成都了，从西门子离职了，我妹妹小安五月结婚",
    facts: [fact("用户", "住处", "成都"), fact("用户", "工作单位", null), fact("小安", "婚礼", "2026-05")],
    newer: "我们现在住在重庆",
    newFacts: [fact("我", "所在地", "重庆")],
    asks: ["我现在住在哪里？", "小安什么时候结婚？", "我什么时候搬到成都的？", "我以前住在哪里？"],
  },
} as const

test.each(Object.entries(scenes))(
  "M25 one line gives several facts, of which each changes by itself, also after a restart (%s)",
  async (locale, scene) => {
    const file = join(tempFolder(), "store.db")
    const keysIn = (facts: unknown) =>
      `{"importance": 8, "profile": {}, "keys": {"1": {"words": [], "facts": ${JSON.stringify(facts)}}}}`
    const answers = [keysIn(scene.facts), keysIn(scene.newFacts)]
    const model = backgroundModel({ batch: () => answers.shift() ?? '{"importance": 0}', turn: () => finish("…") })
    const memory = { batchTurns: 10, reflectEvery: 0 }
    let next = 0
    const run = async (texts: readonly string[], conversation: string, atMs: number) => {
      const store = await openSqliteStore(file)
      const made = testAgent(
        model,
        { dialect: "layered", locale, memory },
        { store, ports: { ids: { next: () => `${conversation} ${next++}` } } },
      )
      made.timers.advance(atMs)
      const recalled: string[][] = []
      for (const text of texts) {
        const { trace } = await made.agent.session(conversation).send(text, { from: { id: "ann", name: "Ann" } }).result
        recalled.push((trace.recalled ?? []).map(({ text }) => text))
      }
      await made.agent.idle()
      const stored = await store.memories.recent({ ...made.session.key, user: "ann" }, { limit: 9 })
      await made.agent.close()
      await store.close()
      return { recalled, stored }
    }
    await run([scene.told], "one", 0)
    const { stored } = await run([scene.newer], "two", 60 * 86_400_000)
    const [first, second] = stored
    const kept = scene.facts.map(({ subject, relation, value }) =>
      value === null ? { subject, relation } : { subject, relation, value },
    )
    expect(first).toMatchObject({ text: scene.told, keys: { facts: kept } })
    expect(second).toMatchObject({ text: scene.newer, updates: [first?.id] })
    expect((await run(scene.asks, "three", 61 * 86_400_000)).recalled.map(([best]) => best)).toEqual([
      scene.newer,
      scene.told,
      scene.told,
      scene.told,
    ])
  },
)

test("M25 facts are read one by one: what is no fact, too long, contradicted further on or too much is left out, and counted", () => {
  const oslo = fact("Ann", "home", "Oslo")
  const read = (facts: unknown) => {
    const leftOut: unknown[] = []
    const [keys] = readKeys(JSON.stringify({ keys: { "1": { facts } } }), ["…"], "m", leftOut)
    return [keys?.facts, leftOut.length]
  }
  expect(read([oslo, { 主体: "小安", 关系: "年龄", 值: 31 }])).toEqual([[oslo, fact("小安", "年龄", "31")], 0])
  expect(read(oslo)).toEqual([[oslo], 0])
  expect(read([fact("user", "home", "Oslo"), fact("I", "住处", "Bergen")])).toEqual([[fact("I", "住处", "Bergen")], 1])
  expect(read([oslo, fact("ann", "City", "Rome")])).toEqual([[fact("ann", "City", "Rome")], 1])
  expect(read([fact("Ann", "home", "x".repeat(201)), { subject: "Ann" }, "Ann: home", 5, null])).toEqual([undefined, 5])
  const [kept, over] = read(Array.from({ length: 100 }, (_, at) => fact("Ann", `relation ${at}`, "x")))
  expect([(kept as readonly unknown[]).length, over]).toEqual([8, 92])
})

test.each([
  ["zh-CN", "我搬到成都了", fact("我", "住处", "成都"), "Where is my home now?"],
  ["en", "We moved to Oslo", fact("user", "city", "Oslo"), "我的住处在哪里？"],
])("M28 a fact is found in the other language by its relation (%s)", async (locale, told, home, question) => {
  const model = backgroundModel({
    importance: (request) =>
      JSON.stringify({ importance: 8, keys: textOf(request).includes(told) ? { "1": { words: [], facts: [home] } } : {} }),
    turn: () => finish("…"),
  })
  const memory = { reflectEvery: 0, recallLimit: 1 }
  const { agent, session } = testAgent(model, { locale, memory }, { store: createInMemoryStore() })
  for (const text of ["The weather is fine. 天气真好。", told, "I ate a soup today. 我今天喝了汤。"])
    await session.send(text).result
  await agent.idle()
  const { trace } = await agent.session("another").send(question, { from: { id: "test" } }).result
  expect(trace.recalled?.map(({ text }) => text)).toEqual([told])
})

test("M27 a nickname that keys give as the subject is the speaker, and nobody else's", async () => {
  const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
  const service = createMemoryService({ records: createInMemoryStore().memories, clock: { nowMs: () => 100 } })
  const ann = { id: "ann", name: "Ann" }
  const said = [
    ["Call me Bibi", undefined],
    ["We moved to Oslo", fact("Bibi", "home", "Oslo")],
    ["She lives in Rome", fact("Anna", "home", "Rome")],
    ["I live in Bergen", undefined],
  ] as const
  for (const [atMs, [text, told]] of said.entries()) {
    const keys = told && { words: [], facts: [told], by: "m" }
    const memory = { id: `m${atMs}`, kind: "dialogue", text, speaker: ann, atMs, turnId: `t${atMs}`, turn: atMs } as const
    await service.remember({ ...memory, ...(keys && { keys }) }, key)
  }
  expect((await service.get("m3", key))?.updates).toEqual(["m1"])
})
