import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ModelRequest } from "../../../../src/core/model/language-model.ts"
import { readKeys } from "../../../../src/memory/services/background/memory-keys.ts"
import { createUserProfileService } from "../../../../src/memory/services/create-user-profile-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { countingIds, manualClock } from "../../../../src/testing/index.ts"
import { collect, finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel } from "../../../support/remembering.ts"
import { isLong } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const jobs = { maxAttempts: 3, waitMs: 0, maxWaitMs: 0 }
const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5))
/** Waits between attempts end at the next turn of the event loop; a limit of an attempt is never reached. */
const soon = {
  set: (callback: () => void, delayMs: number) => (delayMs > 1 ? undefined : setImmediate(callback)),
  clear: (handle: unknown) => clearImmediate(handle as ReturnType<typeof setImmediate>),
}
const stores: Readonly<Record<string, () => Store | Promise<Store>>> = {
  memory: () => createInMemoryStore({ jobs, ports: { clock, timers: soon } }),
  SQLite: () => openSqliteStore(join(tempFolder(), "store.sqlite"), { jobs, clock }),
}
const languages = [
  ["en", "layered"],
  ["zh-CN", "fay"],
] as const
const kinds = Object.keys(stores).flatMap((store) =>
  languages.flatMap(([locale, dialect]) => [1, 10].map((batchTurns) => ({ store, locale, dialect, batchTurns }))),
)

const dailyTokens = 1_000_000
const prose = "I would rather not judge people."
const ok = '{"importance": 8, "keys": {}, "profile": {}}'
const textOf = ({ messages }: ModelRequest) => messages.map(({ content }) => content).join("\n")

/** An agent whose judge answers as a test says, and a talk of turns that each say one thing. */
async function scene(
  judge: (request: ModelRequest) => string,
  {
    store: kind = "memory",
    locale = "en",
    dialect = "layered",
    batchTurns = 1,
    begins = "",
    isDear = ((_) => false) as (request: ModelRequest) => boolean,
  } = {},
) {
  const store = (await stores[kind]?.()) ?? createInMemoryStore()
  onTestFinished(() => store.close())
  const judging = backgroundModel({ importance: judge, profile: judge, batch: judge, turn: () => finish("ok") })
  const model: typeof judging = {
    ...judging,
    async *stream(request, options) {
      yield* judging.stream(request, options)
      if (isDear(request)) yield { type: "usage", usage: { inputTokens: dailyTokens } }
    },
  }
  const memory = { batchTurns, reflectEvery: 0 }
  const counting = countingIds()
  const ids = { next: (prefix: string) => `${begins}${counting.next(prefix)}` }
  const options = { store, onWarning: () => undefined, ports: { ids } }
  const { agent, session } = testAgent(model, { locale, dialect, memory, limits: { dailyTokens } }, options)
  const own = { ...session.key, user: "test" }
  const settle = async () => {
    for (let round = 0; round < 12; round++) {
      await agent.idle()
      await new Promise(setImmediate)
    }
  }
  const turns: string[] = []
  /** Says these things one after the other, and waits for the work behind them. */
  const say = async (...texts: readonly string[]) => {
    for (const text of texts) turns.push((await session.send(text).result).trace.turnId)
    await settle()
  }
  const kept = async () =>
    (await store.memories.recent(own, { limit: 99 })).filter(({ speaker }) => speaker.id === "test").map(({ text }) => text)
  const receipts = async (turn: number) => store.receipts.ofTurn(turns[turn] ?? "", own)
  const told = async (turn: number, of = "importance") => {
    const found = (await receipts(turn)).find(({ kind }) => kind === of)
    return found && `${found.outcome}: ${found.message}`
  }
  const statements = async () => (await store.users.load(own)).statements.map(({ name, value }) => `${name}: ${value}`)
  return { statements, agent, store, model, say, settle, kept, told, receipts, own, session }
}

const named = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `I keep bees in hive ${from + at}`)

describe("M19 words whose judgement cannot be read", () => {
  test.each(kinds)("wait for the next batch and are kept with it: %j", async (kind) => {
    const { batchTurns } = kind
    let isReadable = false
    const { say, kept, told, receipts } = await scene(() => (isReadable ? ok : prose), kind)
    await say(...named(0, batchTurns))
    expect(await kept()).toEqual([])
    const waiting = `${batchTurns} ${batchTurns === 1 ? "turn" : "turns"}`
    expect(await told(batchTurns - 1)).toMatch(new RegExp(`^parse-error: .*: ${waiting}$`))
    expect((await receipts(batchTurns - 1)).map(({ kind }) => kind)).not.toContain("store")
    isReadable = true
    await say(...named(batchTurns, 2 * batchTurns))
    expect((await kept()).toSorted()).toEqual(named(0, 2 * batchTurns).toSorted())
  })

  test.each(kinds)("for the second time stand as failed, and are kept once they are tried again: %j", async (kind) => {
    const { batchTurns } = kind
    let isReadable = false
    const { say, kept, told, agent, settle, model, store } = await scene(() => (isReadable ? ok : prose), kind)
    await say(...named(0, batchTurns))
    await say(...named(batchTurns, 2 * batchTurns))
    for (let turn = 0; turn < batchTurns; turn++) expect(await told(turn)).toMatch(/^failed: .*memory receipts --retry/)
    expect(await told(2 * batchTurns - 1)).toMatch(new RegExp(`^parse-error: .*: ${batchTurns} turn`))
    expect(await store.jobs.dead()).toEqual([])
    isReadable = true
    const before = model.asked.length
    expect(await agent.retryMemories({ user: "test" })).toBe(2 * batchTurns)
    await settle()
    expect((await kept()).toSorted()).toEqual(named(0, 2 * batchTurns).toSorted())
    expect(await told(0)).toMatch(/^ok: importance 8/)
    expect(model.asked.length).toBeGreaterThan(before)
    expect(await agent.retryMemories()).toBe(0)
  })

  test.each(kinds)("cost no other turn its judgement, where one cannot be judged: %j", async (kind) => {
    const { batchTurns } = kind
    const { say, kept, told } = await scene((request) => (/hive 0\b/.test(textOf(request)) ? prose : ok), kind)
    await say(...named(0, batchTurns))
    await say(...named(batchTurns, 2 * batchTurns))
    expect((await kept()).toSorted()).toEqual(named(1, 2 * batchTurns).toSorted())
    expect(await told(0)).toMatch(/^failed: .*memory receipts --retry/)
    if (batchTurns > 1) expect(await told(1)).toMatch(/^ok: importance 8/)
  })
})

/** The calls at which a shorter run ends a process: each is tried with each store, language and number of turns, though not with all at once. */
const killedAt = (kind: (typeof kinds)[number]) => [1, 2, 3, 4, 5].filter((at) => (at + oddness(kind)) % 2 === 0)
const oddness = ({ store, locale, batchTurns }: (typeof kinds)[number]) =>
  [store === "memory", locale === "en", batchTurns === 1].filter(Boolean).length

describe("M19 nothing is lost", () => {
  test.each(kinds)("when a process ends while a model is asked, whichever time: %j", async (kind) => {
    const { batchTurns } = kind
    for (const at of isLong ? [1, 2, 3, 4, 5] : killedAt(kind)) {
      let left = at
      let copy: Promise<string[]> | undefined
      const first = await scene(() => {
        if (--left === 0) copy = collect(first.store.export({ agent: first.own.agent }))
        return prose
      }, kind)
      await first.say(...named(0, batchTurns))
      await first.say(...named(batchTurns, 2 * batchTurns))
      const lines = await (copy ?? collect(first.store.export({ agent: first.own.agent })))
      const next = await scene(() => ok, { ...kind, begins: "next-" })
      await next.store.import(lines)
      await next.settle()
      await next.say(...named(2 * batchTurns, 3 * batchTurns))
      await next.agent.retryMemories()
      await next.settle()
      const said = (await next.store.messages(next.own, { limit: 99 })).flatMap(({ role, text }) => (role === "user" ? text : []))
      expect(said.length, `killed at call ${at}`).toBeGreaterThan(batchTurns)
      expect((await next.kept()).toSorted(), `killed at call ${at}`).toEqual(said.toSorted())
    }
  })

  test("of words that wait in a conversation which does not go on", async () => {
    let isReadable = false
    const { say, kept, agent, settle } = await scene(() => (isReadable ? ok : prose))
    await say("I keep bees")
    isReadable = true
    expect(await agent.retryMemories({ conversation: "test" })).toBe(1)
    await settle()
    expect(await kept()).toEqual(["I keep bees"])
    expect(await agent.retryMemories()).toBe(0)
  })

  test("when the model fails until the last try of a job", async () => {
    let isUp = false
    const { say, kept, told, store } = await scene(() => {
      if (!isUp) throw new Error("overloaded")
      return ok
    })
    await say("I keep bees")
    expect(await told(0)).toMatch(/^failed: .*overloaded.*; left to the next batch: 1 turn$/s)
    expect(await store.jobs.dead()).toHaveLength(1)
    isUp = true
    await say("It rains today")
    expect((await kept()).toSorted()).toEqual(["I keep bees", "It rains today"])
  })

  test("when the day's limit forbids to ask about a turn alone: it stands as failed", async () => {
    const tellsOfHive = (request: ModelRequest) => /hive 0\b/.test(textOf(request))
    const judge = (request: ModelRequest) => (tellsOfHive(request) ? prose : ok)
    const isDear = (request: ModelRequest) => request.facts?.background === true && !tellsOfHive(request)
    const { say, told } = await scene(judge, { isDear })
    await say("I keep bees in hive 0")
    await say("It rains today")
    expect(await told(0)).toMatch(/^failed: expected the calls for the user "test" on this day.*; it stands as failed/s)
  })

  test("in a group, where others speak between", async () => {
    let isReadable = false
    const { agent, store, settle, own } = await scene(() => (isReadable ? ok : prose))
    const group = agent.session({ conversation: "g", audience: "group" })
    const says = async (id: string, text: string) => {
      await group.send(text, { from: { id, name: id } }).result
      await settle()
    }
    await says("ann", "I keep bees")
    isReadable = true
    await says("bob", "I keep cats")
    const kept = async (user: string) =>
      (await store.memories.recent({ ...own, user }, { limit: 9 })).flatMap(({ text, speaker }) =>
        speaker.id === user ? text : [],
      )
    expect([await kept("ann"), await kept("bob")]).toEqual([[], ["I keep cats"]])
    await says("ann", "and hens")
    expect((await kept("ann")).toSorted()).toEqual(["I keep bees", "and hens"])
  })

  test("of a cut answer: what it judged is used, and the rest waits", async () => {
    const cut =
      '{"importance": 3, "profile": {}, "keys": {"1": {"importance": 9, "words": ["honey"]}, "2": {"importance": 1, "words": ["x"]}, "3": {"impor'
    const answers = [cut, cut]
    const { say, kept, told } = await scene(() => answers.shift() ?? ok, { batchTurns: 2 })
    await say("I keep bees", "I am allergic to penicillin")
    expect(await kept()).toEqual(["I keep bees"])
    expect(await told(1)).toBe("parse-error: importance 3, keys of 2, the answer is cut; left to the next batch: 1 turn")
    expect(await told(1, "store")).toContain("1 stored")
    await say("It rains", "and rains")
    expect(await kept()).toContain("I am allergic to penicillin")
  })

  test("of a cut profile: whole fields are used, and half a value is none", async () => {
    const { say, statements, told } = await scene(({ facts }) =>
      facts?.prompt === "user-profile" ? '{"city": "Oslo", "pet": "a ca' : "8",
    )
    await say("I moved to Oslo with my cat")
    expect(await statements()).toEqual(["city: Oslo"])
    expect(await told(0, "profile")).toBe("parse-error: 1 field, the answer is cut; left to the next batch: 1 turn")
  })
})

describe("M19 the answers of a judge", () => {
  test.each([
    '{"重要性": 8, "画像": {"城市": "杭州"}, "关键词": {"1": {"重要性": 9, "检索词": ["电车"], "主体": "主人", "关系": "住处"}}}',
    '{"重要性": "8", "事实": [{"字段名": "城市", "value": "杭州"}], "关键词": [{"行": 1, "词": "电车", "谁": "主人", "哪一方面": "住处"}]}',
  ])("are read with translated names: %s", async (answer) => {
    const { say, kept, statements, store, own } = await scene(() => answer, { batchTurns: 2 })
    await say("我住在西湖边", "真的")
    expect(await kept()).toContain("我住在西湖边")
    expect(await statements()).toEqual(["城市: 杭州"])
    const memories = await store.memories.recent(own, { limit: 9 })
    expect(memories.find(({ text }) => text === "我住在西湖边")?.keys).toMatchObject({ words: ["电车"], relation: "住处" })
  })

  test("that has ten thousand facts, or facts that contradict each other, are bounded, and one home holds", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`f${at}`, `v${at}`]))
    const facts = [many, Object.fromEntries(Object.entries(many).slice(0, 1_000)), { home: "Paris", city: "Rome", 住处: "Oslo" }]
    const told: (string | undefined)[] = []
    for (const fact of facts) {
      const { say, store, own, told: toldOf } = await scene(() => JSON.stringify(fact).replace("{", '{"importance": 8, '))
      await say("I moved")
      told.push(await toldOf(0, "profile"))
      const { fields } = await createUserProfileService({ records: store.users }).get(own)
      expect(fields.length).toBeLessThanOrEqual(24)
      expect(fields.filter(({ name }) => ["home", "city", "住处"].includes(name)).length).toBeLessThanOrEqual(1)
    }
    expect(told).toMatchInlineSnapshot(`
      [
        "parse-error: 24 fields, 2162 too many, the answer is cut; left to the next batch: 1 turn",
        "ok: 24 fields, 977 too many",
        "ok: 4 fields",
      ]
    `)
  })

  test.each(["2026-02-31", "0000-01-01", "9999-12-31", "2026-13-01", "-2026-01-01", "26-01-01", "tomorrow"])(
    "have no date %s",
    (day) => {
      const [keys] = readKeys(JSON.stringify({ keys: { 1: { words: ["tea"], dates: [day, "2026-02-28"] } } }), ["x"], "m")
      expect(keys?.dates).toEqual(["2026-02-28"])
    },
  )

  test("cannot be asked for again without a store", async () => {
    const { agent } = testAgent(backgroundModel())
    await expect(agent.retryMemories()).rejects.toMatchObject({ code: "usage" })
  })
})
