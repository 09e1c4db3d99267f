import type { CutRecord, CutSize, PrefixMoved } from "../../core/span.ts"
import type { Injection } from "../../core/value.ts"
import type { PromptFile } from "../../dialect/dialect.ts"
import { type Counting, countDraft } from "../draft/count.ts"
import { type Draft, summaryOf } from "../draft/draft.ts"
import { type MessageCounter, valueTokens } from "../tokens/counted-message.ts"
import { messageCounter } from "../tokens/message-counter.ts"
import { applyCut, type Notices } from "./shrink.ts"
import type { WaterMarks } from "./water-marks.ts"

/** Why an injection was cut, for the list of decisions. */
export interface FitStep {
  readonly key: string
  readonly cut: CutSize
  readonly reason: string
  /** What it had before, where that is known; else it is looked up. */
  readonly fromTokens?: number
}

/** By key, a number of its own below `count`: the place of its injection among those that were given. */
export interface KeyPlaces {
  readonly of: ReadonlyMap<string, number>
  readonly count: number
}

/** What fitting works with. */
export interface FitOptions {
  readonly places: KeyPlaces
  readonly compose: (injections: readonly Injection[]) => Draft
  /** The prompt's file. */
  readonly file: PromptFile
  readonly counting: Counting
  /** Tokens the whole request may have, with what the provider adds around messages. */
  readonly budgetTokens?: number
  readonly notices: Notices
  /** What an earlier step of this turn cut; absent in its first one. */
  readonly cut?: CutRecord
  readonly history: WaterMarks
}

/** A draft within its budget. */
export interface Fitted {
  readonly draft: Draft
  /** About what an injection that was cut would have had, each text counted by itself. */
  readonly fromTokens: (key: string) => number
  /** The last one of each key counts. */
  readonly steps: readonly FitStep[]
  readonly cut: CutRecord
  readonly prefixMoved?: PrefixMoved
}

/** What a cut is to reach. */
export interface Goal {
  readonly reason: string
  /** By how many tokens a draft exceeds; it is reached where this is not positive. */
  readonly excess: (draft: Draft) => number
}

/** What an injection could become. */
export interface Tryout {
  readonly injections: readonly Injection[]
  readonly draft: Draft
}

/** This turn's own results: they come after what the first step decided, so cutting them moves nothing of it. */
const grownInTurn: ReadonlySet<string> = new Set(["runs", "steps"])

/** The injections as they stand while fitting goes on. Every cut is made of the whole injection, never of a cut one. */
export class FitState {
  readonly options: FitOptions
  readonly counter: MessageCounter
  readonly #steps: FitStep[] = []
  readonly #cut: Map<string, CutSize>
  readonly #given: readonly Injection[]
  #injections: readonly Injection[]
  #whole: Draft | undefined
  #draft: Draft | undefined
  readonly #presumed = new Map<string, number>()
  #prefixMoved: PrefixMoved | undefined
  #lastingTokens: number | undefined
  #exact: { readonly messages: Draft["messages"]; readonly tokens: number } | undefined

  constructor(injections: readonly Injection[], options: FitOptions) {
    this.options = options
    this.counter = messageCounter(options.counting.counter)
    this.#cut = new Map(Object.entries(options.cut ?? {}))
    this.#given = injections
    this.#injections = this.#cut.size === 0 ? injections : injections.flatMap((injection) => this.#cutEarlier(injection))
    this.#draft = this.#steps.length === 0 ? undefined : options.compose(this.#injections)
  }

  /** The draft with nothing cut: composed when it is first asked for, as a long history makes it far longer than what is sent. */
  get whole(): Draft {
    this.#whole ??= this.options.compose(this.#given)
    return this.#whole
  }

  /** What is left of the injections, in the order given. */
  get injections(): readonly Injection[] {
    return this.#injections
  }

  get draft(): Draft {
    this.#draft ??= this.whole
    return this.#draft
  }

  /** Tokens the request may have. */
  get budgetTokens(): number {
    return this.options.budgetTokens ?? Number.POSITIVE_INFINITY
  }

  /** Tokens of what is printed and changes from turn to turn, each text by itself. */
  turnTokens(): number {
    let tokens = 0
    for (const { pieces } of this.draft.messages)
      for (const piece of pieces) if (piece.stability === "turn") tokens += this.counter.part(piece).tokens
    return tokens
  }

  /** Tokens of the prompt with only what stays from turn to turn. */
  lastingTokens(): number {
    this.#lastingTokens ??= this.#countLasting()
    return this.#lastingTokens
  }

  /** About the tokens of what is said in this turn, history apart. */
  turnValueTokens(): number {
    const own = this.#given.filter(({ key, scope }) => scope === "turn" && key !== "history")
    return own.reduce((sum, { content }) => sum + valueTokens(content, this.counter), 0)
  }

  /** Begins with an injection cut that cannot be sent whole, before the whole is composed; `fromTokens` is about what it had. */
  presume({ injections, draft }: Tryout, fromTokens: number, step: FitStep): void {
    this.#injections = injections
    this.#draft = draft
    this.#presumed.set(step.key, fromTokens)
    this.#record([step])
  }

  /** What was cut of an injection so far. */
  cutOf(key: string): CutSize | undefined {
    return this.#cut.get(key)
  }

  /** Tokens of a whole request, exactly. */
  totalTokens(draft: Draft = this.draft): number {
    const { messages } = draft
    if (this.#exact?.messages !== messages) this.#exact = { messages, tokens: countDraft(draft, this.options.counting) }
    return this.#exact.tokens
  }

  /**
   * By how many tokens a request exceeds what it may have; where the one with nothing cut plainly does, a lower bound of it.
   */
  excess(draft: Draft = this.draft, budgetTokens = this.options.budgetTokens): number {
    if (budgetTokens === undefined) return 0
    const plain = draft === this.#whole ? summaryOf(draft, this.counter).totalLeastTokens - budgetTokens : 0
    return plain > 0 ? plain : this.totalTokens(draft) - budgetTokens
  }

  fits(draft: Draft = this.draft): boolean {
    return this.excess(draft) <= 0
  }

  /** The tokens of everything an injection prints, each text by itself. */
  ownTokens(key: string, draft: Draft = this.draft): number {
    return summaryOf(draft, this.counter).ownOf(key)
  }

  /** The request with an injection in another form, or without it. */
  tryout(key: string, shrunk: Injection | undefined): Tryout {
    const injections = this.#injections.flatMap((other) => (other.key === key ? (shrunk ? [shrunk] : []) : [other]))
    return { injections, draft: this.options.compose(injections) }
  }

  /** The request without some injections. */
  without(isGone: (key: string) => boolean): Tryout {
    const injections = this.#injections.filter(({ key }) => !isGone(key))
    return { injections, draft: this.options.compose(injections) }
  }

  /** Takes a tryout over; false for one that saves nothing. */
  adopt({ injections, draft }: Tryout, goal: Goal, steps: readonly FitStep[]): boolean {
    if (goal.excess(draft) > 0 && this.#saved(draft) <= 0) return false
    this.#injections = injections
    this.#draft = draft
    this.#record(steps)
    const [first] = steps.filter(({ key }) => !grownInTurn.has(key))
    if (first && this.options.cut !== undefined) this.#prefixMoved ??= { key: first.key, reason: first.reason }
    return true
  }

  result(): Fitted {
    const moved = this.#prefixMoved ? { prefixMoved: this.#prefixMoved } : {}
    const steps = this.#steps
    return {
      draft: this.draft,
      fromTokens: (key) => this.#presumed.get(key) ?? this.ownTokens(key, this.whole),
      steps,
      cut: Object.fromEntries(this.#cut),
      ...moved,
    }
  }

  #countLasting(): number {
    const lasting = this.#given.filter(({ key, scope }) => scope !== "turn" && key !== "history")
    return countDraft(this.options.compose(lasting), this.options.counting)
  }

  #saved(draft: Draft): number {
    const now = this.totalTokens()
    return now - countDraft(draft, this.options.counting)
  }

  #cutEarlier(injection: Injection): Injection[] {
    const { key } = injection
    const earlier = this.#cut.get(key)
    if (!earlier) return [injection]
    const shrunk = applyCut(injection, earlier, this.options.notices)
    if (!shrunk && !("dropped" in earlier)) return [injection]
    this.#record([{ key, cut: shrunk?.cut ?? earlier, reason: "cut earlier in this turn" }])
    return shrunk ? [shrunk.injection] : []
  }

  #record(steps: readonly FitStep[]): void {
    for (const step of steps) {
      this.#steps.push(step)
      this.#cut.set(step.key, step.cut)
    }
  }
}
