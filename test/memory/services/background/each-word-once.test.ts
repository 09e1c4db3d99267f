import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { LanguageModel } from "../../../../src/core/model/language-model.ts"
import type { Turn } from "../../../../src/loop/agent/turn.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { countingIds, manualClock } from "../../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel, quickJobs as jobs, soonTimers as soon } from "../../../support/remembering.ts"
import { isLong, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const pay = defineTool({ name: "pay", description: "Pays", needsApproval: true, execute: () => "paid" })
const people = ["ann", "bob", "cat"] as const

const weights = {
  say: 8,
  ask: 5,
  "ask and fail": 2,
  yes: 5,
  no: 2,
  expire: 1,
  fail: 2,
  abort: 2,
  hear: 5,
  rush: 2,
  silence: 2,
  clear: 1,
  hold: 3,
  wake: 2,
  regenerate: 2,
  edit: 2,
  switch: 3,
  unread: 2,
  down: 1,
  idle: 3,
  restart: 1,
  move: 1,
}
type Act = keyof typeof weights

/** Acts after which a judge may be shown words a second time, or words that are remembered no more. */
const restless: readonly Act[] = ["unread", "down", "regenerate", "edit", "clear"]

const scripts = fc.record({
  batchTurns: fc.constantFrom(1, 2, 3, 4),
  audience: fc.constantFrom("private" as const, "private" as const, "group" as const),
  acts: fc.array(
    fc.oneof(
      ...(Object.keys(weights) as Act[]).map((act) => ({
        weight: weights[act],
        arbitrary: fc.record({ act: fc.constant(act), who: fc.constantFrom(...people) }),
      })),
    ),
    { maxLength: 16 },
  ),
})
type Script = typeof scripts extends fc.Arbitrary<infer Value> ? Value : never

/** Words as the oracle knows them. */
interface Said {
  readonly who: string
  readonly text: string
  readonly atMs: number
  /** True if they are to be remembered; undefined as long as no turn behind them has an answer. */
  isKept?: boolean
  /** True for words without an answer that may not have been judged when the memory was switched: they are then never remembered. */
  mayBeLost?: boolean
}

/** The rules of docs/requirements for the words of a conversation: which are to be judged (T31, T20, M35, D2). */
class Oracle {
  readonly said: Said[] = []
  isOn = true
  #sinceMs = Number.NEGATIVE_INFINITY
  /** Words without an answer, each list for the next turn with one: the first waits for that of the open question. */
  #heard: Said[] = []
  readonly #everHeard: Said[] = []
  open: { readonly words: Said; readonly heard: Said[] } | undefined
  /** The words of the last turn, while nothing stands behind it. */
  last: Said | undefined

  hear(words: Said): void {
    this.said.push(words)
    this.#heard.push(words)
    this.#everHeard.push(words)
    this.last = undefined
  }

  /** A turn has its answer; `words` are undefined for a wake. */
  answer(words: Said | undefined): void {
    if (words && !this.said.includes(words)) this.said.push(words)
    this.#settle(words, this.#heard)
    this.#heard = []
    this.last = words
  }

  ask(words: Said): void {
    this.said.push(words)
    this.open = { words, heard: this.#heard }
    this.#heard = []
    this.last = undefined
  }

  /** The question has its answer, or never gets it. Words that were heard since belong to the answer. */
  close(isAnswered: boolean): void {
    const { words, heard } = this.open ?? {}
    this.open = undefined
    if (words === undefined) return
    this.#settle(words, [...(heard ?? []), ...(isAnswered ? this.#heard : [])])
    if (isAnswered) this.#heard = []
  }

  /** The conversation begins anew, and nothing that was said is remembered. */
  clear(): void {
    for (const words of this.said) words.isKept = false
    this.#heard = []
    this.open = undefined
    this.last = undefined
  }

  switch(atMs: number): void {
    this.isOn = !this.isOn
    for (const words of this.#everHeard) words.mayBeLost = true
    this.#sinceMs = atMs
  }

  #settle(words: Said | undefined, heard: readonly Said[]): void {
    const isOn = this.isOn && (words === undefined || words.atMs >= this.#sinceMs)
    if (words) words.isKept = isOn
    for (const each of heard) each.isKept = isOn && each.atMs > this.#sinceMs
  }
}

/** Lives through a script with an agent and with the oracle. */
class Stage {
  readonly oracle = new Oracle()
  readonly judged: string[] = []
  readonly #clock = manualClock(Date.UTC(2026, 0, 2))
  readonly #ids = countingIds()
  readonly #script: Script
  readonly #open: () => Store | Promise<Store>
  #judge = { unread: 0, down: 0 }
  #held: ReturnType<typeof Promise.withResolvers<void>> | undefined
  #store: Store | undefined
  #made: ReturnType<Stage["start"]> | undefined
  #number = 0

  constructor(script: Script, open: () => Store | Promise<Store>) {
    this.#script = script
    this.#open = open
  }

  get store(): Store {
    if (this.#store === undefined) throw new Error("The stage is not open.")
    return this.#store
  }

  get session() {
    return this.agent.session({ conversation: "talk", audience: this.#script.audience })
  }

  get agent() {
    this.#made ??= this.start()
    return this.#made
  }

  start() {
    const judge = () => {
      if (this.#judge.down-- > 0) throw new Error("overloaded")
      return this.#judge.unread-- > 0 ? "I would rather not." : '{"importance": 8, "keys": {}, "profile": {}}'
    }
    const model = backgroundModel({
      importance: judge,
      batch: judge,
      turn: ({ facts }) => {
        if (facts?.question.includes("pay") && facts.runs.length === 0) return callTool("pay")
        if (facts?.question.includes("fail")) throw new Error("overloaded")
        return finish(facts?.question.includes("silence") ? "" : "Well.")
      },
    })
    const { judged } = this
    const held = () => this.#held?.promise
    const watched: LanguageModel = {
      ...model,
      stream: async function* (this: unknown, request, options) {
        if (request.facts?.background) {
          await held()
          if (request.facts.prompt?.startsWith("importance")) judged.push(JSON.stringify(request.messages))
        }
        yield* model.stream(request, options)
      },
    }
    const memory = { batchTurns: this.#script.batchTurns, reflectEvery: 0 }
    return testAgent(
      watched,
      { dialect: "layered", locale: "en", memory },
      { store: this.store, tools: [pay], onWarning: () => undefined, ports: { clock: this.#clock, ids: this.#ids } },
    ).agent
  }

  async play(): Promise<void> {
    this.#store = await this.#open()
    for (const { act, who } of this.#script.acts) {
      this.#clock.advance(1_000)
      await this.#act(act, who)
      await new Promise(setImmediate)
    }
  }

  /** Lets everybody say a last word with memory and a judge that judges. */
  async end(): Promise<void> {
    this.#judge = { unread: 0, down: 0 }
    this.#clock.advance(1_000)
    if (!this.oracle.isOn) await this.#act("switch", "ann")
    for (let round = 0; round < 2; round++)
      for (const who of people) {
        this.#clock.advance(1_000)
        await this.#act("say", who)
        await this.#act("idle", who)
      }
    await this.agent.retryMemories()
    await this.#act("idle", "ann")
  }

  #words(who: string, also = ""): Said {
    return { who, text: `I keep number ${this.#number++}x${also}.`, atMs: this.#clock.nowMs() }
  }

  async #act(act: Act, who: string): Promise<void> {
    const { oracle, session } = this
    const from = { from: { id: who, name: who } }
    if (act === "say") await this.#send(this.#words(who))
    else if (act === "ask" || act === "ask and fail")
      await this.#send(this.#words(who, act === "ask" ? ", so pay" : ", so pay and fail"))
    else if (act === "rush") await Promise.all([this.#send(this.#words(who)), this.#send(this.#words("bob"))])
    else if (act === "silence") await this.#send(this.#words(who, " silence"))
    else if (act === "clear") {
      await session.clear()
      oracle.clear()
    } else if (act === "hold") this.#held ??= Promise.withResolvers()
    else if (act === "fail") await this.#send(this.#words(who, " fail"))
    else if (act === "abort") {
      const words = this.#words(who)
      const turn = session.send(words.text, from)
      turn.abort()
      expect(await turn.result).toMatchObject({ ok: false })
      oracle.hear(words)
    } else if (act === "yes" || act === "no") await this.#answer(act)
    else if (act === "expire") this.#clock.advance(30 * 86_400_000)
    else if (act === "hear") {
      const words = this.#words(who)
      await session.hear(words.text, from)
      oracle.hear(words)
    } else if (act === "wake") {
      if ((await session.wake("greet").result).ok) oracle.answer(undefined)
    } else if (act === "regenerate" || act === "edit") await this.#again(act)
    else if (act === "switch") {
      await session.setMemory(!oracle.isOn)
      oracle.switch(this.#clock.nowMs())
    } else if (act === "unread") this.#judge.unread = 2
    else if (act === "down") this.#judge.down = 3
    else if (act === "idle") {
      this.#release()
      for (let round = 0; round < 9; round++) {
        await this.agent.idle()
        await new Promise(setImmediate)
      }
    } else await this.#reopen(act === "move")
  }

  /** Lets the judge answer. */
  #release(): void {
    this.#held?.resolve()
    this.#held = undefined
  }

  async #send(words: Said): Promise<void> {
    const { oracle } = this
    const result = await this.session.send(words.text, { from: { id: words.who, name: words.who } }).result
    if (!result.ok) return oracle.hear(words)
    oracle.close(false)
    if (result.stopReason === "awaiting-approval") oracle.ask(words)
    else oracle.answer(words)
  }

  async #answer(act: "yes" | "no"): Promise<void> {
    const [open] = await this.session.approvals()
    if (open === undefined) return
    const turn: Turn = act === "yes" ? this.session.approve(open.id) : this.session.deny(open.id)
    const result = await turn.result
    if (result.ok) this.oracle.close(true)
  }

  /** Another answer to the last words, or other words in their place. */
  async #again(act: "regenerate" | "edit"): Promise<void> {
    const { oracle, session } = this
    const { last } = oracle
    if (last === undefined) return
    const words = act === "edit" ? this.#words(last.who) : { ...last, atMs: this.#clock.nowMs() }
    const asked = (await session.history({ limit: 99 })).findLast(({ role }) => role === "user")
    const turn = act === "edit" ? await session.edit(asked?.id ?? "", words.text) : session.regenerate()
    expect(await turn?.result).toMatchObject({ ok: true })
    if (act === "edit") last.isKept = false
    else oracle.said.splice(oracle.said.indexOf(last), 1)
    oracle.answer(words)
  }

  /** Ends the process, and goes on with its store or with a copy of it. */
  async #reopen(isMoved: boolean): Promise<void> {
    this.#release()
    await this.agent.close()
    const lines = isMoved ? await collect(this.store.export({ agent: this.session.key.agent })) : []
    if (isMoved) {
      await this.store.close()
      this.#store = await this.#open()
      await this.#store.import(lines)
    }
    this.#made = undefined
  }
}

test.each([
  ["memory", isLong ? 2_000 : 10, () => createInMemoryStore({ jobs, ports: { timers: soon } })],
  ["SQLite", isLong ? 200 : 2, () => openSqliteStore(join(tempFolder(), "store.sqlite"), { jobs, timers: soon })],
] as const)(
  "M19 M35 each word is judged and kept once, by its speaker and time, and none without memory: %s",
  async (kind, numRuns, open) => {
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const stage = new Stage(script, open)
        await stage.play()
        await stage.end()
        const { store, session, oracle, judged } = stage
        const all = await Promise.all(people.map((user) => store.memories.recent({ ...session.key, user }, { limit: 999 })))
        // Of a group everybody sees the same memories.
        const memories = [...new Map(all.flat().map((memory) => [memory.id, memory])).values()]
        const isCalm = !script.acts.some(({ act }) => restless.includes(act))
        for (const { who, text, atMs, isKept, mayBeLost } of oracle.said) {
          const kept = memories.filter((each) => each.text === text)
          const told = kept.map(({ user, speaker, atMs }) => ({ user, speaker: speaker.id, atMs }))
          if (mayBeLost && kept.length === 0) continue
          expect([text, told]).toEqual([text, isKept ? [{ user: who, speaker: who, atMs }] : []])
          const shown = judged.filter((prompt) => prompt.includes(text)).length
          if (isCalm && script.batchTurns > 1) expect([text, shown]).toEqual([text, isKept ? Math.min(shown, 1) : 0])
        }
        await stage.agent.close()
        await store.close()
      }),
      { numRuns, seed: seedOf(kind.length) },
    )
  },
)
