// Loaded beforehand: what is loaded while a script runs would take rounds of the event loop.
import "../../src/loop/agent/borders/session-work.ts"
import "../../src/loop/agent/borders/aside.ts"
import "../../src/loop/agent/session-turn.ts"
import "../../src/loop/turn/ask-for-report.ts"
import "../../src/loop/turn/calls/calls.ts"
import "../../src/loop/turn/plan-native.ts"
import "../../src/loop/turn/run-tool.ts"
import "../../src/loop/turn/open-turn/resume-step.ts"
import fc from "fast-check"
import { expect } from "vitest"
import { z } from "zod"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import type { Agent } from "../../src/loop/agent/agent.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import type { Turn } from "../../src/loop/agent/turn.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import type { ManualTimers } from "../../src/testing/index.ts"
import type { TurnResult } from "../../src/trace/turn-event.ts"
import { callTool, finish, testAgent } from "./agents.ts"
import type { CrashPlace } from "./interleavings.ts"
import { type MortalStore, mortal } from "./mortal-store.ts"

const weights = { ask: 3, send: 8, hear: 2, approve: 4, deny: 1, abort: 3, tick: 4, crash: 2 }

type Act = keyof typeof weights

/** What happens in a conversation whose messages wait for open approvals. `at` decides what a step is about. */
export type WaitingScript = readonly { readonly act: Act; readonly at: number }[]

export function waitingScripts(steps: number): fc.Arbitrary<WaitingScript> {
  const acts = (Object.keys(weights) as Act[]).map((act) => ({
    weight: weights[act],
    arbitrary: fc.record({ act: fc.constant(act), at: fc.nat(60) }),
  }))
  return fc.array(fc.oneof(...acts), { maxLength: steps })
}

const pay = defineTool({
  name: "pay",
  description: "Pays",
  inputSchema: z.object({}),
  needsApproval: true,
  execute: () => "paid",
})

let issued = 0
const ids = { next: (kind: string) => `${kind}-${++issued}` }
let answers = 0
let played = 0

/** Asks for a payment if the words say so, and answers with new words each time. */
const model: LanguageModel = {
  id: "payer",
  capabilities: { developerRole: false, tools: false },
  async *stream({ facts }) {
    const asks = facts?.question.startsWith("ask") && facts.runs.length === 0
    yield { type: "text-delta", delta: asks ? callTool("pay") : finish(`za${++answers}`) }
    yield { type: "finish", reason: "stop" }
  },
}

interface Said {
  readonly turn: Turn
  readonly words: string
  result?: TurnResult
}

/** Plays a script. After each step, words that were in the history are there once; at its end, what was answered was answered once. */
export async function playWaiting(script: WaitingScript, place: CrashPlace): Promise<void> {
  const stage = new WaitingStage(place, `waiting ${++played}`)
  for (const [index, step] of script.entries()) {
    await stage.play(step, index)
    await stage.check()
  }
  await stage.drain()
  await stage.check()
  stage.checkAnswers()
}

class WaitingStage {
  readonly #place: CrashPlace
  readonly #name: string
  readonly #seen: string[] = []
  /** The turns of this process. */
  #said: Said[] = []
  readonly #ended: Said[] = []
  #mortal: MortalStore
  #agent: Agent
  #timers: ManualTimers | undefined
  #session: Session
  #history: readonly {
    readonly role: string
    readonly text: string
    readonly turnId: string
    readonly toAnswer?: true
    readonly answers?: readonly string[]
  }[] = []

  constructor(place: CrashPlace, name: string) {
    this.#place = place
    this.#name = name
    this.#mortal = mortal(place.store)
    this.#agent = this.#open()
    this.#session = this.#agent.session(name)
  }

  async play({ act, at }: WaitingScript[number], index: number): Promise<void> {
    if (act === "ask" || act === "send") this.#send(`${act === "ask" ? "ask " : ""}zw${index}`)
    else if (act === "hear") await this.#session.hear(`zh${index}`)
    else if (act === "approve" || act === "deny") await this.#answer(act)
    else if (act === "abort") this.#said[at % Math.max(1, this.#said.length)]?.turn.abort()
    else if (act === "tick") this.#timers?.advance(300)
    else await this.#crash(at, index)
    await this.#settled()
  }

  #send(words: string): void {
    const said: Said = { turn: this.#session.send(words), words }
    this.#said.push(said)
    void said.turn.result.then((result) => {
      said.result = result
      this.#ended.push(said)
    })
  }

  async #answer(act: "approve" | "deny"): Promise<void> {
    const [open] = await this.#session.approvals()
    if (open) void (act === "approve" ? this.#session.approve(open.id) : this.#session.deny(open.id))
  }

  /** Ends the process: now, or before or after the next write that a message makes. */
  async #crash(at: number, index: number): Promise<void> {
    const when = (["before", "after", undefined] as const)[at % 3]
    if (when !== undefined) {
      const dead = this.#mortal.dieAtNextWrite(when)
      this.#send(`zw${index}`)
      await dead
    }
    this.#mortal.die()
    this.#said = []
    await this.#mortal.isQuiet()
    await this.#place.reopen()
    this.#mortal = mortal(this.#place.store)
    this.#agent = this.#open()
    this.#session = this.#agent.session(this.#name)
  }

  #open(): Agent {
    const profile = { memory: { enabled: false }, tools: { whileAsked: "wait" as const } }
    const { agent, timers } = testAgent(model, profile, {
      store: this.#mortal.store,
      tools: [pay],
      onWarning: () => undefined,
      ports: { ids },
    })
    this.#timers = timers
    return agent
  }

  async check(): Promise<void> {
    this.#history = (await this.#place.store.load(this.#session.key))?.history ?? []
    const texts = this.#history.map(({ text }) => text)
    expect(new Set(texts).size, texts.join(", ")).toBe(texts.length)
    // Words keep their order, and none is lost.
    expect(texts.filter((text) => this.#seen.includes(text))).toEqual(this.#seen)
    this.#seen.splice(0, Infinity, ...texts)
    for (const { result, words } of this.#ended) {
      // A turn that was overtaken by a crash has no result.
      if (result) expect(texts, words).toContain(words)
    }
  }

  /** Answers all approvals, until no turn waits. */
  async drain(): Promise<void> {
    for (let round = 0; round < 5_000; round++) {
      await this.#settled()
      await this.#answer("approve")
      await this.#settled()
      this.#timers?.advance(300)
      await this.#settled()
      if (this.#said.every(({ result }) => result) && (await this.#session.approvals()).length === 0) return
    }
    expect(this.#said.filter(({ result }) => !result).map(({ words }) => words)).toEqual([])
  }

  checkAnswers(): void {
    const history = this.#history
    const settled = history.flatMap(({ answers: of = [] }) => of)
    expect(new Set(settled).size).toBe(settled.length)
    for (const { turn, words, result } of this.#ended) {
      const own = history.find(({ text }) => text === words)
      if (!result?.ok || own === undefined) continue
      const id = own.toAnswer ? own.turnId : turn.id
      const by = history.filter(({ turnId, role, answers: of }) => role === "assistant" && (turnId === id || of?.includes(id)))
      if (result.stopReason === "finish") expect(by, words).toHaveLength(1)
    }
  }

  async #settled(): Promise<void> {
    for (let round = 0; round < 6; round++) await this.#mortal.isQuiet()
  }
}
