import { expect, test } from "vitest"
import type { LanguageModel } from "../../../../src/core/model/language-model.ts"
import { createUserProfileService } from "../../../../src/memory/services/create-user-profile-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"
import { finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel } from "../../../support/remembering.ts"

const good = '{"importance": 7, "keys": {"1": {"words": ["sea"]}}}'
const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`fact ${at}`, `value ${at}`]))
const thirty = Object.fromEntries(Object.entries(many).slice(0, 30))
const key = { conversation: "test", audience: "private", user: "test" } as const

/** What a turn and the work behind it come to, if a model answers the questions of that work so. */
async function judged(importance: string, profile: string) {
  const store = createInMemoryStore()
  const model = backgroundModel({ importance, profile, turn: () => '{"action":"finish","message":"well"}' })
  const { session, agent } = testAgent(model, {}, { store })
  const own = { ...key, agent: session.key.agent }
  const { ok, trace } = await session.send("I moved to Oslo, no, to Bergen.").result
  await agent.idle()
  const receipts = await store.receipts.ofTurn(trace.turnId, own)
  const memories = await store.memories.recent(own, { limit: 10 })
  const profileNow = await createUserProfileService({ records: store.users }).get(own)
  const fields = profileNow.fields.map(({ name, value }) => `${name}: ${value}`).sort()
  return { ok, told: receipts.map(({ kind, outcome, message }) => `${kind} ${outcome}: ${message}`), memories, fields }
}
const unread = [
  "importance parse-error: no number from 0 to 10 in the answer",
  "profile parse-error: no JSON object in the answer",
]
const stored = (profile: string, keys = 1) => [
  `importance ok: importance 7, keys of ${keys}`,
  profile,
  "store ok: 2 stored",
  "reflect skipped: not due",
]
const days = ["9999-01-01", "0001-01-01", "2026-02-30", "2026-03-04"]
const dated = JSON.stringify({ importance: 7, keys: { "1": { words: ["sea"], dates: days } } })

test.each<[string, string, string, readonly string[], readonly string[]]>([
  ["prose", "It was a nice talk.", "Nothing much!", unread, []],
  ["another language", "Conversation plutôt importante, je dirais.", "Rien de neuf.", unread, []],
  ["10,000 facts", good, JSON.stringify(many), stored("profile parse-error: the answer is cut"), []],
  [
    "30 facts",
    good,
    JSON.stringify(thirty),
    stored("profile ok: 24 fields, 6 too many"),
    Object.entries(thirty)
      .slice(0, 24)
      .map((fact) => fact.join(": "))
      .sort(),
  ],
  [
    "a life's story for a fact",
    good,
    JSON.stringify({ job: "x".repeat(600), ["n".repeat(70)]: "y", city: "Oslo" }),
    stored("profile ok: 3 fields, 2 cut short"),
    ["city: Oslo", `job: ${"x".repeat(500)}`, `${"n".repeat(60)}: y`],
  ],
  ["a list of numbers", "[1, 2, 3]", "{}", [unread[0] ?? "", "profile empty: nothing new"], []],
  ["two homes in one line", good, '{"city": "Oslo", "home": "Bergen"}', stored("profile ok: 2 fields"), ["home: Bergen"]],
  [
    "dates out of range",
    dated,
    "{}",
    stored("profile empty: nothing new").map((told) => told.replace("keys of 1", "keys of 1, facts and dates left out: 3")),
    [],
  ],
])(
  "M32 a judge that answers with %s fails no turn, and the receipts say what became of it",
  async (_, importance, profile, told, fields) => {
    const result = await judged(importance, profile)
    expect(result).toMatchObject({ ok: true, told, fields })
    expect(result.memories.map(({ text }) => text)).toEqual(
      told.includes(unread[0] ?? "") ? [] : ["I moved to Oslo, no, to Bergen.", "well"],
    )
    expect(result.memories.flatMap(({ keys }) => keys?.dates ?? [])).toEqual(importance === dated ? ["2026-03-04"] : [])
  },
)

test("what a judge finds in somebody's private talk, whoever it says it is about, is theirs alone", async () => {
  const store = createInMemoryStore()
  const importance = '{"importance": 9, "keys": {"1": {"words": ["secret"], "subject": "Ann", "relation": "home"}}}'
  const model = backgroundModel({ importance, profile: '{"home": "Oslo"}', turn: () => '{"action":"finish","message":"well"}' })
  const { agent, session } = testAgent(model, {}, { store })
  await agent.session("bob").send("Ann lives in Oslo, do not tell.", { from: { id: "bob", name: "Bob" } }).result
  await agent.idle()
  const seen = async (user: string) => {
    const own = { agent: session.key.agent, conversation: user, audience: "private", user } as const
    const profile = await createUserProfileService({ records: store.users }).get(own)
    return [(await store.memories.recent(own, { limit: 9 })).length, profile.fields.length]
  }
  expect([await seen("bob"), await seen("ann")]).toEqual([
    [2, 1],
    [0, 0],
  ])
  const { trace } = await agent.session("ann").send("Where does Ann live?", { from: { id: "ann", name: "Ann" } }).result
  expect(trace.recalled ?? []).toEqual([])
})

test("a judge that answers with more than is read is told of in the receipt, also where the turn is kept", async () => {
  const facts = Array.from({ length: 10_000 }, (_, at) => ({ subject: "Ann", relation: `relation ${at}`, value: "x" }))
  const { told, memories } = await judged(
    JSON.stringify({ importance: 7, keys: { "1": { words: ["sea"] }, "2": { facts } } }),
    "{}",
  )
  expect(told[0]).toBe("importance ok: importance 7, keys of 1, the answer is cut")
  expect(memories.map(({ keys }) => keys?.words)).toEqual([["sea"], undefined])
})

test.each([
  ['{"importance": 7, "profil": {"ville": "Oslo"}, "mots-clés": {}}', ", members not read: 2"],
  ['{"result": {"importance": 7, "profile": {"home": "Oslo"}}}', ", members not read: 1"],
  ['{"Score": 7, "画像": {}, " keys ": {}, "insights": [], "event": ""}', ""],
])("M32 parts of an answer under names that nobody asked for are counted in the receipt: %s", async (answer, unread) => {
  const { told } = await judged(answer, "{}")
  expect(told[0]).toBe(`importance ok: importance 7, no keys${unread}`)
})

test.each([
  ["says nothing", async () => new Promise<never>(() => undefined)],
  ["goes on for ever", async () => undefined],
])(
  "M19 a judge that %s delays no turn: the receipt tells it, and the next attempt judges the words, though others followed",
  async (_, before) => {
    const clock = manualClock(0)
    const timers = manualTimers(clock)
    const store = createInMemoryStore({ ports: { clock, timers } })
    const answering = backgroundModel({ turn: () => finish("well") })
    let isBad = true
    const model: LanguageModel = {
      ...answering,
      async *stream(request, options) {
        if (request.facts?.prompt === "planner" || !isBad) return yield* answering.stream(request, options)
        await before()
        while (options?.signal?.aborted !== true) {
          await new Promise(setImmediate)
          yield { type: "text-delta", delta: "It was nice. " }
        }
      },
    }
    const memory = { batchTurns: 2, reflectEvery: 0 }
    const { session, agent } = testAgent(model, { dialect: "layered", memory }, { store, ports: { clock, timers } })
    const turns: string[] = []
    const say = async (text: string) => {
      turns.push((await session.send(text).result).trace.turnId)
      timers.advance(1_000)
    }
    const own = { ...session.key, user: "test" }
    const outcomes = async () => {
      const all = await Promise.all(turns.map((turn) => store.receipts.ofTurn(turn, own)))
      return all.flat().map(({ kind, outcome }) => `${kind} ${outcome}`)
    }
    const kept = async () => (await store.memories.recent(own, { limit: 20 })).map(({ text }) => text)
    const until = async (isSo: () => Promise<boolean>) => {
      for (let pass = 0; pass < 1_000 && !(await isSo()); pass++) {
        timers.advance(10_000)
        await new Promise(setImmediate)
      }
      expect(await isSo()).toBe(true)
    }
    await say("I moved to Oslo.")
    await until(async () => (await outcomes()).some((told) => /^importance (?:timeout|failed)$/.test(told)))
    await say("I have a cat.")
    expect(await kept()).toEqual([])
    isBad = false
    await say("It rains.")
    await say("It snows.")
    await until(async () => (await kept()).includes("It snows."))
    await agent.close()
    expect(await kept()).toEqual(expect.arrayContaining(["I moved to Oslo.", "I have a cat.", "It rains.", "It snows."]))
    expect(await store.jobs.dead()).toEqual([])
  },
)
