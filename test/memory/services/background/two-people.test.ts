import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { LanguageModel, ModelRequest } from "../../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { countingIds, manualClock } from "../../../../src/testing/index.ts"
import { finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel } from "../../../support/remembering.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const jobs = { maxAttempts: 3, waitMs: 1, maxWaitMs: 1 }
/** Waits between attempts end at the next turn of the event loop; a limit of an attempt is never reached. */
const soon = {
  set: (callback: () => void, delayMs: number) => (delayMs > 1 ? undefined : setImmediate(callback)),
  clear: (handle: unknown) => clearImmediate(handle as ReturnType<typeof setImmediate>),
}

/** The last one is known by the conversation alone, as is who wakes the agent. */
const people = ["ann", "bob", "talk"] as const
const fromOf = (at: number) => ({ from: { id: people[at] ?? "", name: people[at] ?? "" } })

/** What happens next in a private conversation: stretches of talk, words that are heard, and whatever stops or delays judging. */
const happenings = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("talk" as const),
        speakers: fc.array(fc.constantFrom(0, 0, 1, 1, 2), { minLength: 1, maxLength: 3 }),
        times: fc.constantFrom(1, 1, 2, 6, 12),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("hear" as const), who: fc.nat(1), times: fc.constantFrom(1, 9, 30) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          "hold",
          "hold",
          "hold",
          "release",
          "idle",
          "restart",
          "on",
          "off",
          "empty wake",
          "wake",
          "unread",
          "rewind",
          "forget",
        ),
      }),
    },
  ),
  { minLength: 2, maxLength: 12 },
)

/** A model whose judgements can be held up, and be unread so often as `unread` says. */
function judge() {
  const gate = { held: undefined as PromiseWithResolvers<void> | undefined, unread: 0 }
  const model = backgroundModel({
    batch: () => (gate.unread-- > 0 ? "I would rather not judge people." : '{"importance": 8, "profile": {}}'),
    importance: () => "8",
    turn: ({ facts }) => finish(facts?.question?.includes("silence") ? "" : "Well."),
  })
  const judged: ModelRequest[] = []
  const slow: LanguageModel = {
    ...model,
    async *stream(request, options) {
      if (request.facts?.background) {
        await gate.held?.promise
        if (request.facts.prompt?.startsWith("importance")) judged.push(request)
      }
      yield* model.stream(request, options)
    },
  }
  const release = () => {
    gate.held?.resolve()
    gate.held = undefined
  }
  return { model: slow, judged, gate, release }
}

/** Lives through what happens, lets everybody say a last word, and returns what is known then. */
async function live(
  open: () => Store | Promise<Store>,
  batchTurns: number,
  happens: typeof happenings extends fc.Arbitrary<infer Value> ? Value : never,
) {
  const [clock, ids, judging] = [manualClock(Date.UTC(2026, 0, 2)), countingIds(), judge()]
  let store = await open()
  const start = () => {
    const memory = { batchTurns, reflectEvery: 0 }
    const { agent } = testAgent(judging.model, { dialect: "layered", locale: "en", memory }, { store, ports: { clock, ids } })
    return { agent, session: agent.session("talk") }
  }
  let made = start()
  const said: { readonly who: number; readonly text: string; readonly isOn: boolean; isGone?: boolean }[] = []
  let isOn = true
  const idle = async () => {
    judging.release()
    await made.agent.idle()
    for (let round = 0; round < 9; round++) await new Promise(setImmediate)
    await made.agent.idle()
  }
  const say = async (who: number) => {
    const text = `I keep number ${said.length}x.`
    said.push({ who, text, isOn })
    clock.advance(1_000)
    await made.session.send(text, fromOf(who)).result
    await new Promise(setImmediate)
  }
  /** Marks the words that are no part of the conversation any more. */
  const markGone = async () => {
    const left = new Set((await store.load(made.session.key))?.history.map(({ text }) => text))
    for (const each of said) each.isGone ||= !left.has(each.text)
  }
  const acts = {
    idle,
    restart: async () => {
      judging.release()
      await made.agent.close()
      if (store.close !== undefined) await store.close()
      store = await open()
      made = start()
    },
    hold: () => {
      judging.gate.held ??= Promise.withResolvers()
    },
    release: judging.release,
    on: async () => {
      isOn = true
      await made.session.setMemory(true)
    },
    off: async () => {
      isOn = false
      await made.session.setMemory(false)
    },
    "empty wake": () => made.session.wake("silence").result,
    wake: () => made.session.wake("greet").result,
    rewind: async () => {
      const before = (await made.session.history()).filter(({ role }) => role === "assistant").at(-2)
      if (before !== undefined) await made.session.rewind(before.id)
      await markGone()
    },
    forget: async () => {
      await store.forget({ agent: made.session.key.agent, user: "ann" })
      await markGone()
      // A conversation of which nothing is left begins anew, with its memory on.
      if (!isOn) await made.session.setMemory(false)
    },
    unread: () => {
      judging.gate.unread = 1
    },
  }
  for (const happening of happens) {
    clock.advance(1_000)
    if (happening.kind === "talk") {
      for (let time = 0; time < happening.times; time++) for (const who of happening.speakers) await say(who)
    } else if (happening.kind === "hear") {
      for (let time = 0; time < happening.times; time++) await made.session.hear(`Rain ${time}`, fromOf(happening.who))
    } else await acts[happening.kind]()
  }
  await acts.on()
  await markGone()
  judging.gate.unread = 0
  for (let round = 0; round < 2; round++)
    for (const who of people.keys()) {
      await say(who)
      await idle()
    }
  const { agent } = made.session.key
  const stored = await Promise.all(
    people.map((user) => store.memories.recent({ agent, conversation: "talk", audience: "private", user }, { limit: 999 })),
  )
  const dead = await store.jobs.dead()
  await made.agent.close()
  await store.close()
  return { said, stored, dead, judged: judging.judged }
}

test.each([1, 2, 3, 4].flatMap((batchTurns) => ["memory", "SQLite"].map((kind) => ({ batchTurns, kind }))))(
  "M35 each answered turn of each person is judged, and none without memory: $batchTurns turns a batch, $kind",
  async ({ batchTurns, kind }) => {
    await fc.assert(
      fc.asyncProperty(happenings, async (happens) => {
        const file = join(tempFolder(), "store.sqlite")
        const kept = createInMemoryStore({ jobs, ports: { timers: soon } })
        const open = () =>
          kind === "memory" ? { ...kept, close: async () => undefined } : openSqliteStore(file, { jobs, timers: soon })
        const { said, stored, dead, judged } = await live(open, batchTurns, happens)
        expect(dead).toEqual([])
        const shown = judged.map(({ messages }) => JSON.stringify(messages))
        // Words are judged again if the answer could not be read, or if the turn in which they were judged was set aside.
        const isCalm = !happens.some(({ kind }) => kind === "unread" || kind === "rewind" || kind === "forget")
        for (const { who, text, isOn, isGone } of said) {
          const isWanted = isOn && !isGone
          expect([text, stored[who]?.filter((memory) => memory.text === text).length]).toEqual([text, isWanted ? 1 : 0])
          const times = shown.filter((prompt) => prompt.includes(text)).length
          if (!isOn) expect([text, times]).toEqual([text, 0])
          else if (isCalm && isWanted && batchTurns > 1) expect([text, times]).toEqual([text, 1])
        }
      }),
      { numRuns: runs(kind === "memory" && batchTurns > 1 ? 200 : 8), seed: seedOf(batchTurns) },
    )
  },
)

test.each([
  ["room", "group", 1],
  ["private conversation", "private", 2],
] as const)(
  "M19 words that could not be judged wait in a %s for the next turn of their user, whatever others say meanwhile",
  async (_, audience, batchTurns) => {
    const answers = ["I would rather not.", "Not even now."]
    const answer = () => answers.shift() ?? '{"importance": 8, "keys": {}, "profile": {}}'
    const store = createInMemoryStore({ jobs, ports: { timers: soon } })
    const model = backgroundModel({ importance: answer, batch: answer })
    const profile = { dialect: "layered", locale: "en", memory: { batchTurns, reflectEvery: 0 } } as const
    const { agent } = testAgent(model, profile, { store })
    const session = agent.session({ conversation: "club", audience })
    const say = async (text: string, who: number) => {
      await session.send(text, fromOf(who)).result
      for (let round = 0; round < 9; round++) {
        await agent.idle()
        await new Promise(setImmediate)
      }
    }
    await say("I grow tea.", 0)
    for (let turn = 0; turn < 60; turn++) await say(`I count ${turn}.`, 1)
    await say("I keep bees.", 0)
    const kept = await store.memories.recent({ ...session.key, user: "ann" }, { limit: 999 })
    expect(kept.filter(({ speaker }) => speaker.id === "ann").map(({ text }) => text)).toEqual(["I grow tea.", "I keep bees."])
    await agent.close()
  },
)
