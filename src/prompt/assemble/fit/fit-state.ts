import { commonStart, memoKind } from "../../../core/memo.ts"
import type { CutRecord, CutSize, PrefixMoved, WindowRoom } from "../../../core/span.ts"
import { type Injection, stabilityOf } from "../../../core/value.ts"
import type { PromptFile } from "../../dialect/dialect.ts"
import { type CountOptions, countDraft } from "../draft/count.ts"
import { type Draft, ownTokens } from "../draft/draft.ts"
import { type ComposeOptions, compose } from "../print/prompt-printer.ts"
import { type MessageCounter, messageCounter, valueTokens } from "../tokens/message-counter.ts"
import { DraftItems, type KeyPlaces, type RankOrder } from "./draft-items.ts"
import { applyCut, dialectNotices, type Notices, sizeOf } from "./shrink.ts"
import { type ListSteps, roomOf, type WaterMarks } from "./water-marks.ts"

/** One cut of an injection and its reason, for the list of decisions. */
export interface FitStep {
  readonly key: string
  readonly cut: CutSize
  readonly reason: string
}

/** Options of `fit`. */
export interface FitOptions extends ComposeOptions {
  readonly places: KeyPlaces
  readonly counting: CountOptions
  /** Tokens that the whole request may have, with what the provider adds around messages. */
  readonly budgetTokens?: number | undefined
  /** The cut of the turn's first request; absent in the first one. */
  readonly cut?: CutRecord | undefined
  /** In the first request, the cuts of what stays from turn to turn. They were decided without the turn. */
  readonly lastingSteps?: readonly FitStep[] | undefined
  /** Tokens that were taken off the budget for the turn, to be named in reasons. */
  readonly keptTokens?: number | undefined
  readonly history: WaterMarks
}

/** A draft within its budget. */
export interface FittedDraft {
  readonly draft: Draft
  /** The tokens of an injection before it was cut, each text counted by itself. */
  fromTokens(key: string): number
  /** The part of the budget that a request of so many tokens, with those around its messages, leaves free. */
  windowRoom(tokens: number): WindowRoom | undefined
  /** Of several steps with one key, the last one counts. */
  readonly steps: readonly FitStep[]
  readonly cut: CutRecord
  readonly prefixMoved: PrefixMoved | undefined
}

/** The aim of a cut. */
export interface Goal {
  readonly reason: string
  /** The tokens that a draft has too many. The goal is reached when this is 0 or less. */
  readonly excess: (draft: Draft) => number
}

/** A possible next state: injections of which some are cut, and their draft. */
export interface Tryout {
  readonly injections: readonly Injection[] | (() => readonly Injection[])
  readonly draft: Draft
}

/** A token of most texts has about so many UTF-16 units. */
const unitsPerToken = 4

/** True for an injection that can only be dropped, whole and by itself. */
export function isDrop(injection: Injection | undefined): boolean {
  const fit = injection?.fit
  return fit?.shrink === "drop" && fit.group === undefined && (fit.minTokens ?? 0) <= 0
}

/** True for what stays from turn to turn; history grows. */
export function isLasting(injection: Injection): boolean {
  return stabilityOf(injection) !== "turn" && injection.key !== "history"
}

/** The tokens that what stays from turn to turn leaves free: those reserved for the turn, at most an eighth of the budget. */
export function turnRoom({ budgetTokens = 0, history }: FitOptions): number {
  return Math.min(history.reserveTokens ?? 0, Math.floor(budgetTokens / 8))
}

/** Keys of this turn's own results. They stand behind all that the first step decided, so that cutting them moves no prefix. */
const grownInTurn: ReadonlySet<string> = new Set(["runs", "steps"])

/** By prompt file, the tokens of the last {@link FitState.lastingTokens}, and everything that they depend on. */
const lastingCounts = memoKind<PromptFile, { readonly things: readonly unknown[]; readonly tokens: number }>()

/** The injections and their draft while fitting goes on. Every cut is made from the whole injection, never from a cut one. */
export class FitState implements FittedDraft {
  readonly options: FitOptions
  readonly ranked: RankOrder
  readonly counter: MessageCounter
  readonly notices: Notices
  readonly #steps: FitStep[] = []
  readonly #cut: Map<string, CutSize>
  /** Makes the steps that come after those, when somebody asks for steps or cuts. A run of drops has one for each item. */
  readonly #unmade: (() => readonly FitStep[])[] = []
  #record: CutRecord | undefined
  readonly #given: readonly Injection[]
  #injections: Tryout["injections"]
  #whole: Draft | undefined
  #draft: Draft | undefined
  /** The approximate tokens, before the cut, of each injection that was cut before the whole prompt was composed. */
  readonly #tokensAhead = new Map<string, number>()
  prefixMoved: PrefixMoved | undefined
  #exact: { readonly messages: Draft["messages"]; readonly tokens: number } | undefined
  #items: { readonly draft: Draft; readonly items: DraftItems } | undefined
  /** The list that was shortened last, and its steps. */
  listSteps: { readonly whole: Injection; readonly steps: ListSteps } | undefined

  constructor(injections: readonly Injection[], ranked: RankOrder, options: FitOptions) {
    this.ranked = ranked
    this.options = options
    this.counter = messageCounter(options.counting.counter, options.memo)
    this.notices = dialectNotices(options.dialect)
    this.#cut = new Map(Object.entries(options.cut ?? {}))
    for (const { key, cut } of options.lastingSteps ?? []) this.#cut.set(key, cut)
    this.#given = injections
    this.#injections = this.#cut.size === 0 ? injections : injections.flatMap((injection) => this.#cutEarlier(injection))
    this.#draft = this.#unmade.length === 0 ? undefined : compose(this.injections, options)
  }

  /** The draft with nothing cut. It is composed only when asked for: with a long history it is far longer than the request. */
  get whole(): Draft {
    this.#whole ??= compose(this.#given, this.options)
    return this.#whole
  }

  /** The injections after the cuts so far, in the order given. */
  get injections(): readonly Injection[] {
    if (typeof this.#injections === "function") this.#injections = this.#injections()
    return this.#injections
  }

  get draft(): Draft {
    this.#draft ??= this.whole
    return this.#draft
  }

  /** Tokens that the request may have. */
  get budgetTokens(): number {
    return this.options.budgetTokens ?? Number.POSITIVE_INFINITY
  }

  /** Tokens of the printed text that changes from turn to turn, each piece counted by itself. */
  turnTokens(): number {
    let tokens = 0
    for (const { pieces } of this.draft.messages)
      for (const piece of pieces) if (piece.stability === "turn") tokens += this.counter.part(piece).tokens
    return tokens
  }

  windowRoom(tokens: number): WindowRoom | undefined {
    return roomOf(this, this.options, tokens)
  }

  /** Tokens of the prompt with only the injections that stay from turn to turn. */
  lastingTokens(): number {
    const { file, dialect, developerRole, counting, memo } = this.options
    const lasting = this.#given.filter(isLasting)
    const things = [dialect, developerRole, counting.counter, counting.tools, ...lasting]
    const known = memo.get(lastingCounts, file)
    if (known?.things.length === things.length && commonStart(known.things, things) === things.length) return known.tokens
    const tokens = countDraft(compose(lasting, this.options), counting)
    memo.set(lastingCounts, file, { things, tokens })
    return tokens
  }

  /** About the tokens of this turn's injections, without history. */
  turnValueTokens(): number {
    const own = this.#given.filter((given) => stabilityOf(given) === "turn" && given.key !== "history")
    return own.reduce((sum, { content }) => sum + valueTokens(content, this.counter), 0)
  }

  /** Takes over a cut that was made before the whole prompt was composed. `fromTokens` is approximate. */
  cutAhead({ injections, draft }: Tryout, fromTokens: number, step: FitStep): void {
    this.#injections = injections
    this.#draft = draft
    this.#tokensAhead.set(step.key, fromTokens)
    this.#unmade.push(() => [step])
  }

  /** The cut of an injection so far. */
  cutOf(key: string): CutSize | undefined {
    return this.steps.findLast((step) => step.key === key)?.cut ?? this.#cut.get(key)
  }

  /** The exact tokens of a whole request. */
  totalTokens(draft: Draft = this.draft): number {
    const { messages } = draft
    if (this.#exact?.messages !== messages) this.#exact = { messages, tokens: countDraft(draft, this.options.counting) }
    return this.#exact.tokens
  }

  /** The tokens that a request has too many. For the whole draft, if it is far too long, this is a lower bound. */
  excess(draft: Draft = this.draft, budgetTokens = this.options.budgetTokens): number {
    if (budgetTokens === undefined) return 0
    const atLeast = draft === this.#whole && this.#mayFallOut(budgetTokens) ? this.#leastTokens(budgetTokens) - budgetTokens : 0
    return atLeast > 0 ? atLeast : this.totalTokens(draft) - budgetTokens
  }

  /** The items of a draft. They are found once for the draft that was asked for last. */
  items(draft: Draft = this.draft): DraftItems {
    if (this.#items?.draft !== draft) this.#items = { draft, items: new DraftItems(draft, this.counter, this.ranked) }
    return this.#items.items
  }

  /** True if what can only be dropped is more than the budget holds, or a list. Else nothing is saved by leaving it uncounted. */
  #mayFallOut(budgetTokens: number): boolean {
    let units = 0
    for (const injection of this.ranked.order)
      if (isDrop(injection)) units += Array.isArray(injection.content) ? Number.POSITIVE_INFINITY : sizeOf(injection)
    return units > budgetTokens * unitsPerToken
  }

  /**
   * Tokens that the whole draft has at least. What can only be dropped is counted last, the highest rank first, until there are more
   * than `budgetTokens`: what certainly falls out is never counted.
   */
  #leastTokens(budgetTokens: number): number {
    const items = this.items(this.whole)
    const { order } = this.ranked
    let least = items.least(order.length)
    for (let number = 0; number < order.length; number++) if (!isDrop(order[number])) least += items.least(number)
    for (let number = order.length - 1; number >= 0 && least <= budgetTokens; number--)
      if (isDrop(order[number])) least += items.least(number)
    return least
  }

  fits(draft: Draft = this.draft): boolean {
    return this.excess(draft) <= 0
  }

  /** The tokens of everything that an injection prints, each piece counted by itself. */
  ownTokens(key: string, draft: Draft = this.draft): number {
    return ownTokens(draft, key, this.counter)
  }

  /** The request with an injection in another form. */
  tryout(shrunk: Injection): Tryout {
    const injections = this.injections.map((other) => (other.key === shrunk.key ? shrunk : other))
    return { injections, draft: compose(injections, this.options) }
  }

  /** The request without some injections. */
  without(isGone: (key: string) => boolean): Tryout {
    const injections = this.injections.filter(({ key }) => !isGone(key))
    return { injections, draft: compose(injections, this.options) }
  }

  /** Takes over a tryout; false, and nothing changes, for one that saves nothing. */
  adopt({ injections, draft }: Tryout, goal: Goal, steps: () => readonly FitStep[]): boolean {
    if (goal.excess(draft) > 0 && this.totalTokens() <= countDraft(draft, this.options.counting)) return false
    this.#injections = injections
    this.#draft = draft
    this.#unmade.push(steps)
    if (this.options.cut || (turnRoom(this.options) > 0 && !draft.printed.has("history"))) this.#noteMoved(steps())
    return true
  }

  /** In a first request without history, the prefix moves if something gives way that stays from turn to turn. */
  #noteMoved(steps: readonly FitStep[]): void {
    const moves = ({ key }: FitStep) =>
      this.options.cut ? !grownInTurn.has(key) : this.#given.some((given) => given.key === key && isLasting(given))
    const first = steps.find(moves)
    if (first) this.prefixMoved ??= { key: first.key, reason: first.reason }
  }

  fromTokens(key: string): number {
    return this.#tokensAhead.get(key) ?? this.ownTokens(key, this.whole)
  }

  get steps(): readonly FitStep[] {
    for (const make of this.#unmade.splice(0)) this.#steps.push(...make())
    return this.#steps
  }

  get cut(): CutRecord {
    if (this.#record) return this.#record
    for (const { key, cut } of this.steps) this.#cut.set(key, cut)
    this.#record = Object.fromEntries(this.#cut)
    return this.#record
  }

  #cutEarlier(injection: Injection): Injection[] {
    const { key } = injection
    const earlier = this.#cut.get(key)
    if (!earlier) return [injection]
    const shrunk = applyCut(injection, earlier, { notices: this.notices, memo: this.options.memo })
    if (!shrunk && !("dropped" in earlier)) return [injection]
    const lasting = this.options.lastingSteps?.findLast((step) => step.key === key)
    this.#unmade.push(() => [lasting ?? { key, cut: shrunk?.cut ?? earlier, reason: "cut earlier in this turn" }])
    return shrunk ? [shrunk.injection] : []
  }
}
