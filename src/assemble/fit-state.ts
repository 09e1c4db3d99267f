import type { TokenCounter } from "../core/ports.ts"
import type { Cut, CutSize } from "../core/span.ts"
import type { Injection } from "../core/value.ts"
import { countDraft } from "./count.ts"
import type { Draft } from "./draft.ts"
import { applyCut, type Notices, type Shrunk, shrinkTo, sizeOf } from "./shrink.ts"

/** Why an injection was cut, for the list of decisions. */
export interface FitStep {
  readonly key: string
  readonly cut: CutSize
  readonly reason: string
}

/** What fitting works with. */
export interface FitOptions {
  readonly compose: (injections: readonly Injection[]) => Draft
  readonly counter: TokenCounter
  /** Tokens the whole request may have, with what the provider adds around messages. */
  readonly budgetTokens?: number
  readonly notices: Notices
  /** What an earlier step of this turn cut. */
  readonly cut: Cut
}

/** What a cut is to reach. */
export interface Goal {
  readonly reason: string
  /** True for a draft that reaches it. */
  readonly reached: (draft: Draft) => boolean
  /** What has to become less; a cut that does not save anything is not made. */
  readonly measure: (draft: Draft) => number
}

/** A draft within its budget. */
export interface Fitted {
  readonly draft: Draft
  /** The draft with nothing cut. */
  readonly whole: Draft
  /** The last one of each key counts. */
  readonly steps: readonly FitStep[]
  readonly cut: Cut
}

/** The injections as they stand while fitting goes on. Every cut is made of the whole injection, never of a cut one. */
export class FitState {
  readonly #options: FitOptions
  readonly #whole: Draft
  readonly #steps: FitStep[] = []
  readonly #cut: Map<string, CutSize>
  /** What is left of each shortened injection. */
  readonly #sizes = new Map<string, number>()
  #injections: readonly Injection[]
  #draft: Draft
  #total: number | undefined

  constructor(injections: readonly Injection[], options: FitOptions) {
    this.#options = options
    this.#cut = new Map(Object.entries(options.cut))
    this.#whole = options.compose(injections)
    this.#injections = injections.flatMap((injection) => this.#cutEarlier(injection))
    this.#draft = this.#steps.length === 0 ? this.#whole : options.compose(this.#injections)
  }

  /** What is left of the injections, in the order given. */
  get injections(): readonly Injection[] {
    return this.#injections
  }

  get draft(): Draft {
    return this.#draft
  }

  /** Tokens of a whole request. */
  totalTokens(draft: Draft = this.#draft): number {
    if (draft !== this.#draft) return countDraft(draft, this.#options.counter)
    this.#total ??= countDraft(draft, this.#options.counter)
    return this.#total
  }

  /** Tokens of everything an injection prints; with `contentOnly`, without frames and notices. */
  ownTokens(key: string, draft: Draft = this.#draft, { contentOnly = false } = {}): number {
    if (!draft.printed.has(key)) return 0
    return draft.pieces.reduce((sum, piece) => {
      const counts = piece.key === key && (!contentOnly || piece.part === "content")
      return counts ? sum + this.#options.counter.count(piece.text) : sum
    }, 0)
  }

  fits(draft: Draft = this.#draft): boolean {
    const { budgetTokens } = this.#options
    return budgetTokens === undefined || this.totalTokens(draft) <= budgetTokens
  }

  /** Shortens an injection that is printed as little as it takes, or else to its minimum. */
  shorten(whole: Injection, goal: Goal): void {
    const { key } = whole
    const least = this.#leastSize(whole)
    const most = (this.#sizes.get(key) ?? sizeOf(whole)) - 1
    if (least > most) return
    const size = largest(least, most, (candidate) => goal.reached(this.#tryout(whole, candidate).draft))
    const { shrunk, injections, draft } = this.#tryout(whole, size)
    if (goal.measure(draft) < goal.measure(this.#draft))
      this.#adopt(injections, draft, [{ key, cut: shrunk.cut, reason: goal.reason }])
  }

  /** Drops injections that are printed whole; those beside the first one go because they are of its group. */
  drop(keys: readonly string[], goal: Goal): void {
    const left = this.#injections.filter(({ key }) => !keys.includes(key))
    const draft = this.#options.compose(left)
    if (goal.measure(draft) >= goal.measure(this.#draft)) return
    const reasonOf = (key: string) => (key === keys[0] ? goal.reason : `dropped with ${keys[0]}, of its group`)
    const steps = keys.map((key): FitStep => ({ key, cut: { dropped: true }, reason: reasonOf(key) }))
    this.#adopt(left, draft, steps)
  }

  result(): Fitted {
    return { draft: this.#draft, whole: this.#whole, steps: this.#steps, cut: Object.fromEntries(this.#cut) }
  }

  #cutEarlier(injection: Injection): Injection[] {
    const { key } = injection
    const earlier = this.#cut.get(key)
    if (!earlier) return [injection]
    const shrunk = applyCut(injection, earlier, this.#options.notices)
    if (!shrunk && !("dropped" in earlier)) return [injection]
    const cut = shrunk?.cut ?? earlier
    this.#record([{ key, cut, reason: "cut earlier in this turn" }])
    return shrunk ? [shrunk.injection] : []
  }

  /** The smallest size that keeps `minTokens` of content. */
  #leastSize(whole: Injection): number {
    const minTokens = whole.fit?.minTokens ?? 0
    const size = sizeOf(whole)
    if (minTokens <= 0) return 0
    const keeps = (candidate: number) =>
      this.ownTokens(whole.key, this.#tryout(whole, candidate).draft, { contentOnly: true }) >= minTokens
    const below = largest(-1, size - 1, (candidate) => !keeps(candidate))
    return below + 1
  }

  #tryout(
    whole: Injection,
    size: number,
  ): { readonly shrunk: Shrunk; readonly injections: readonly Injection[]; readonly draft: Draft } {
    const shrunk = shrinkTo(whole, size, this.#options.notices)
    const injections = this.#injections.map((other) => (other.key === whole.key ? shrunk.injection : other))
    return { shrunk, injections, draft: this.#options.compose(injections) }
  }

  #adopt(injections: readonly Injection[], draft: Draft, steps: readonly FitStep[]): void {
    this.#injections = injections
    this.#draft = draft
    this.#total = undefined
    this.#record(steps)
  }

  #record(steps: readonly FitStep[]): void {
    for (const step of steps) {
      this.#steps.push(step)
      this.#cut.set(step.key, step.cut)
      if (!("dropped" in step.cut)) this.#sizes.set(step.key, "entries" in step.cut ? step.cut.entries : step.cut.characters)
    }
  }
}

/** The largest size in [least, most] that passes, else `least`; a test that turns true again further up may be missed. */
function largest(least: number, most: number, passes: (size: number) => boolean): number {
  let low = least
  let high = most
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (passes(middle)) low = middle
    else high = middle - 1
  }
  return low
}
