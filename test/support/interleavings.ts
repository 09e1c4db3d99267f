// Loaded beforehand: what is loaded while a script runs would take rounds of the event loop.
import "../../src/loop/agent/borders/session-work.ts"
import "../../src/loop/agent/borders/aside.ts"
import fc from "fast-check"
import { expect } from "vitest"
import type { Agent } from "../../src/loop/agent/agent.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import type { Turn } from "../../src/loop/agent/turn.ts"
import type { BackgroundJob } from "../../src/memory/services/background/background-job.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import type { ManualTimers } from "../../src/testing/index.ts"
import { testAgent } from "./agents.ts"
import { gatedModel } from "./gated-model.ts"
import { type Manners, Oracle, type OracleAct, type OracleTurn, pathTo } from "./interleaving-oracle.ts"
import { type MortalStore, mortal } from "./mortal-store.ts"

const acts = [
  ...["send", "hear", "finish", "fail", "abort", "edit", "regenerate", "rewind", "clear", "choose", "crash", "tick"],
] as const

/** A step of a script. `at` decides what it is about. */
export interface Interleaved {
  readonly act: (typeof acts)[number]
  readonly at: number
}

const weights = {
  send: 8,
  hear: 5,
  finish: 8,
  fail: 2,
  abort: 3,
  edit: 4,
  regenerate: 4,
  rewind: 2,
  clear: 1,
  choose: 3,
  crash: 2,
  tick: 4,
}

/** What happens in a conversation, and the settings by which its messages meet. */
export interface Script extends Manners {
  readonly steps: readonly Interleaved[]
}

/** Half of the time that a message waits for the next one, and a little more. */
const tickMs = 600

export function interleavings(steps: number): fc.Arbitrary<Script> {
  const weighted = acts.map((act) => ({ weight: weights[act], arbitrary: fc.record({ act: fc.constant(act), at: fc.nat(60) }) }))
  return fc.record({
    steps: fc.array(fc.oneof(...weighted), { maxLength: steps }),
    mergeMs: fc.constantFrom(0, 2 * tickMs - 1),
    interrupt: fc.constantFrom("queue", "join", "abort"),
  })
}

/** A store that a script may crash. `reopen` sets `store` anew, as another process would open it. */
export interface CrashPlace {
  store: Store
  reopen(): Promise<void>
}

/** Draws a receipt from each answered turn. */
const draw: BackgroundJob = {
  kind: "draw",
  afterTurn: () => ({}),
  run: (_, { receipt }) => receipt({ kind: "draw", outcome: "ok" }),
}

let played = 0
/** Ids are new in all conversations and processes. */
let issued = 0
const ids = { next: (kind: string) => `${kind}-${++issued}` }

/** Plays a script on a session and on the oracle. After each step both must hold the same. */
export async function playInterleaved({ steps, ...manners }: Script, place: CrashPlace): Promise<void> {
  const stage = new Stage(place, `interleaved ${++played}`, manners)
  for (const [index, step] of steps.entries()) {
    await stage.play(step, index)
    await stage.compare()
  }
  while (stage.oracle.isBusy) {
    for (const act of ["tick", "tick", "finish"] as const) {
      await stage.play({ act, at: 0 }, steps.length)
      await stage.compare()
    }
  }
  await stage.compareDrawn()
}

/** A step that was begun, with the real thing beside it. */
interface Begun {
  readonly asked: OracleAct
  readonly turn: Turn | undefined
  /** How it ended; undefined as long as it has not. */
  ok: boolean | "joined" | undefined
}

class Stage {
  readonly oracle: Oracle
  readonly #manners: Manners
  readonly #place: CrashPlace
  readonly #name: string
  #gated = gatedModel()
  #begun: Begun[] = []
  #mortal: MortalStore
  #agent: Agent
  #timers: ManualTimers | undefined
  #session: Session

  constructor(place: CrashPlace, name: string, manners: Manners) {
    this.#place = place
    this.#manners = manners
    this.oracle = new Oracle(manners)
    this.#name = name
    this.#mortal = mortal(place.store)
    this.#agent = this.#makeAgent()
    this.#session = this.#agent.session(name)
  }

  async play({ act, at }: Interleaved, index: number): Promise<void> {
    const { oracle } = this
    const path = oracle.path()
    if (act === "send") {
      const turn = this.#session.send(`zw${index}`)
      this.#ask({ act, words: `zw${index}` }, turn.result, turn)
    } else if (act === "hear") {
      await this.#session.hear(`zh${index}`)
      oracle.hear(`zh${index}`)
    } else if (act === "tick") {
      this.#timers?.advance(tickMs)
      oracle.tick(tickMs)
    } else if (act === "finish" || act === "fail") this.#end(act)
    else if (act === "abort") this.#abort(at)
    else if (act === "regenerate") {
      const turn = this.#session.regenerate()
      this.#ask({ act, words: "" }, turn.result, turn)
    } else if (act === "clear") this.#ask({ act: "rewind", words: "" }, this.#session.clear())
    else if (act === "crash") await this.#crash(at, index)
    else if (act === "choose") await this.#choose(at)
    else if (path.length > 0) await this.#change(act, { at, words: `zw${index}`, path })
  }

  /** Rewinds to a message, or edits it. */
  async #change(
    act: "edit" | "rewind",
    { at, words, path }: { readonly at: number; readonly words: string; readonly path: readonly OracleTurn[] },
  ): Promise<void> {
    const messages = path.flatMap((target) => target.texts.map((_, nth) => ({ target, nth })))
    const place = at % messages.length
    const { target, nth = 0 } = messages[place] ?? {}
    const { id = "" } = (await this.#session.history({ limit: 1_000 }))[place] ?? {}
    if (act === "rewind") return this.#ask({ act, words: "", target }, this.#session.rewind(id))
    const answered = (target?.kind !== "turn" && target?.kind !== "failed") || nth === 0
    const asked: OracleAct = { act: answered ? "edit" : "edit answer", words, target }
    const editing = this.#session.edit(id, words)
    // The turn of an edit is there once the role of the message is read.
    if (answered) {
      const turn = await editing
      return this.#ask(asked, turn?.result, turn)
    }
    this.#ask(asked, editing)
  }

  async #choose(at: number): Promise<void> {
    const aside = (await this.#place.store.branches(this.#session.key)).filter(({ isAside }) => isAside)
    const chosen = aside[at % Math.max(1, aside.length)]
    if (chosen === undefined) return
    const texts = chosen.messages.map(({ text }) => text).join()
    const target = this.oracle.turns.find((turn) => turn.texts.join() === texts)
    expect(target, texts).toBeDefined()
    this.#ask({ act: "choose", words: "", target }, this.#session.choose(chosen.turnId))
  }

  #ask(asked: OracleAct, done: Promise<unknown> | undefined, turn?: Turn): void {
    const begun: Begun = { asked, turn, ok: undefined }
    const settle = (result: unknown): void => {
      const ended = turn === undefined ? undefined : (result as Awaited<Turn["result"]>)
      begun.ok = ended?.ok && ended.stopReason === "joined" ? "joined" : (ended?.ok ?? true)
    }
    done?.then(settle, () => {
      begun.ok = false
    })
    this.#begun.push(begun)
    this.oracle.ask(asked, this.#gated.asked?.shown)
  }

  /** Lets the running turn end. */
  #end(how: "finish" | "fail"): void {
    const { asked } = this.#gated
    if (asked === undefined) return
    this.oracle.finish({ answer: how === "finish" ? asked.whole : asked.shown, isWhole: how === "finish" })
    asked.end(how)
  }

  #abort(at: number): void {
    const open = this.#begun.filter(({ asked, turn }) => turn !== undefined && asked.ok === undefined)
    const { asked, turn } = open[at % Math.max(1, open.length)] ?? {}
    if (asked === undefined) return
    if (this.oracle.running?.of === asked) this.oracle.finish({ answer: this.#gated.asked?.shown, isWhole: false })
    else this.oracle.abort(asked)
    turn?.abort()
  }

  /** Ends the process: now, before what is being written is written, or before its writer hears of it. */
  async #crash(at: number, index: number): Promise<void> {
    const { oracle } = this
    const when = (["before", "after", undefined] as const)[at % 3]
    if (when !== undefined) {
      const { asked } = this.#gated
      const joining = Math.floor(at / 3) % 2 === 0 ? oracle.joinable(asked?.shown) : undefined
      oracle.forgetWaiting()
      const dead = this.#mortal.dieAtNextWrite(when)
      if (joining) {
        // While the words of the message before are being stored.
        void this.#session.send(`zw${index}`)
      } else if (asked === undefined) void this.#session.hear(`zh${index}`)
      else asked.end("finish")
      await dead
      if (when === "after" && joining) oracle.hear(joining.words, "joined")
      else if (when === "after" && asked) oracle.finish({ answer: asked.whole, isWhole: true })
      else if (when === "after") oracle.hear(`zh${index}`)
    }
    oracle.crash()
    this.#mortal.die()
    this.#begun = []
    await this.#mortal.isQuiet()
    await this.#place.reopen()
    this.#mortal = mortal(this.#place.store)
    this.#agent = this.#makeAgent()
    this.#session = this.#agent.session(this.#name)
  }

  #makeAgent(): Agent {
    this.#gated = gatedModel(this.#gated.count)
    const profile = { memory: { enabled: false }, history: { contextCount: 10_000 }, conversation: this.#manners }
    const { agent, timers } = testAgent(this.#gated.model, profile, {
      store: this.#mortal.store,
      plugins: [{ name: "drawing", jobs: [draw] }],
      onWarning: () => undefined,
      ports: { ids },
    })
    this.#timers = timers
    return agent
  }

  async compare(): Promise<void> {
    const { oracle } = this
    await this.#settled()
    const { running } = oracle
    expect(this.#gated.asked !== undefined, "a turn runs").toBe(running !== undefined)
    if (running !== undefined) {
      const said = [...pathTo(running.base).flatMap(({ texts }) => texts), running.words]
      expect(tokensOf(this.#gated.asked?.prompt ?? ""), "the prompt").toEqual(tokensOf(said.join(" ")))
    }
    for (const { asked, ok } of this.#begun) expect({ ...asked, ok }).toEqual({ ...asked, ok: asked.ok })
    const history = await this.#session.history({ limit: 10_000 })
    expect(history.map(({ text, unanswered, interrupted }) => [text, unanswered, interrupted])).toEqual(
      oracle.path().flatMap(({ kind, texts }) => {
        const marks = [kind === "turn" ? undefined : true, kind === "failed" ? true : undefined]
        return texts.map((text) => [text, ...marks])
      }),
    )
    const turns = await this.#place.store.branches(this.#session.key)
    const textsOf = new Map(turns.map(({ turnId, messages }) => [turnId, messages.map(({ text }) => text)]))
    const shown = new Set(oracle.path())
    expect(turns.map(({ turnId, parent = "", isAside }) => [textsOf.get(turnId), textsOf.get(parent), isAside])).toEqual(
      oracle.turns.map((turn) => [turn.texts, turn.parent?.texts, !shown.has(turn)]),
    )
  }

  /** Answered turns of the history have been drawn from, once, and nothing is left of others. */
  async compareDrawn(): Promise<void> {
    const { key } = this.#session
    await this.#agent.idle()
    const drawn: number[] = []
    const turns = await this.#place.store.branches(key)
    for (const { turnId } of turns)
      drawn.push((await this.#place.store.receipts.ofTurn(turnId, { ...key, user: this.#name })).length)
    const answered = turns.map(({ isAside, messages }) => (isAside || messages.some(({ unanswered }) => unanswered) ? 0 : 1))
    expect(drawn).toEqual(answered)
  }

  /** Waits until nothing is under way but a turn whose model was asked. */
  async #settled(): Promise<void> {
    const isDone = () => {
      const isOpen = this.#begun.some(({ asked, ok }) => asked.ok !== undefined && ok === undefined)
      return !isOpen && (this.#gated.asked !== undefined) === (this.oracle.running !== undefined)
    }
    for (let round = 0; round < 500 && !isDone(); round++) {
      await this.#mortal.isQuiet()
      // What else is under way may wait for the server of the store: on a busy machine this takes as much longer.
      await this.#place.store.load(this.#session.key, { last: 1 })
    }
    await this.#mortal.isQuiet()
  }
}

/** The words of a script in a text, without what stands around them, sorted. */
function tokensOf(text: string): string[] {
  return [...new Set(text.match(/z[wah]\d+/g) ?? [])].sort()
}
