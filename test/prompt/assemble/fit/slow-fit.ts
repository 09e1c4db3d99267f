import type { TokenCounter } from "../../../../src/core/ports.ts"
import type { Assembly, CutSize } from "../../../../src/core/span.ts"
import { type Injection, isText, type SlotEntry, type SlotValue } from "../../../../src/core/value.ts"
import { assembleInjections } from "../../../../src/prompt/assemble/assemble.ts"
import type { WaterMarks } from "../../../../src/prompt/assemble/fit/water-marks.ts"
import type { Dialect } from "../../../../src/prompt/dialect/dialect.ts"

interface SlowOptions {
  readonly dialect: Dialect
  readonly prompt: string
  readonly counter: TokenCounter
  readonly budgetTokens: number
  readonly history: WaterMarks
  /** Said in reasons. */
  readonly kept?: string
}

/** A request that was fitted, or its least tokens if that is still too much. */
export interface SlowFit {
  readonly request: Assembly
  readonly cut: Readonly<Record<string, CutSize>>
  readonly reasons: Readonly<Record<string, string>>
  readonly fits: boolean
}

/** How much a request has too much, and the reason for a cut that mends it. */
interface Goal {
  readonly reason: string
  readonly excess: (request: Assembly) => number
}

/**
 * Fits a request as S13 and S16 say it, and as slowly as one can: every size and every number of entries is tried one after the other, and
 * every try is a whole request that is made with nothing remembered, has no budget and repeats a written cut.
 */
export class SlowFitter {
  readonly #given: readonly Injection[]
  readonly #options: SlowOptions
  readonly #whole: Assembly
  #cut: Record<string, CutSize> = {}
  #request: Assembly
  readonly #reasons: Record<string, string> = {}

  constructor(given: readonly Injection[], options: SlowOptions) {
    this.#given = given.filter(({ enabled }) => enabled)
    this.#options = options
    this.#whole = this.#make({})
    this.#request = this.#whole
  }

  fit(): SlowFit {
    const { budgetTokens, history } = this.#options
    this.#fitLasting()
    for (const injection of this.#given) {
      const { key, fit: { maxTokens } = { maxTokens: undefined } } = injection
      if (maxTokens === undefined) continue
      this.#reach(injection, {
        reason: `more than its ceiling of ${maxTokens} tokens`,
        excess: (request) => this.#own(request, key) - maxTokens,
      })
    }
    const reserve = (history.reserveTokens ?? 0) - this.#ofTurn()
    const lines = this.#given.find(({ key }) => key === "history")
    if ((history.reserveTokens ?? 0) > 0 && reserve > 0 && lines?.fit && this.#prints("history"))
      this.#shorten(lines, {
        reason: `over budget with ${reserve} tokens kept free for the turn`,
        excess: (request) => total(request) - (budgetTokens - reserve),
      })
    const ranked = this.#given.filter(({ fit }) => fit).sort((a, b) => (a.fit?.rank ?? 0) - (b.fit?.rank ?? 0))
    for (const injection of ranked)
      this.#reach(injection, {
        reason: `over budget${this.#options.kept ?? ""}, and rank ${injection.fit?.rank} is the lowest left`,
        excess: (request) => total(request) - budgetTokens,
      })
    const fits = total(this.#request) <= budgetTokens
    return { request: this.#request, cut: this.#cut, reasons: this.#reasons, fits }
  }

  /** Cuts what stays from turn to turn as if there were no turn, to what the reserve leaves, at most an eighth of the budget. */
  #fitLasting(): void {
    const { budgetTokens } = this.#options
    const kept = this.#turnRoom()
    const lasting = this.#lasting()
    if (kept === 0 || total(this.#make({}, lasting)) <= budgetTokens - kept) return
    const own = {
      ...this.#options,
      budgetTokens: budgetTokens - kept,
      history: {},
      kept: ` with ${kept} tokens kept free for the turn`,
    }
    const alone = new SlowFitter(lasting, own).fit()
    if (!alone.fits) return
    this.#cut = { ...alone.cut }
    this.#request = this.#make(this.#cut)
    Object.assign(this.#reasons, alone.reasons)
  }

  #turnRoom(): number {
    const { budgetTokens, history } = this.#options
    return Math.min(history.reserveTokens ?? 0, Math.floor(budgetTokens / 8))
  }

  #lasting(): readonly Injection[] {
    return this.#given.filter(({ key, scope }) => scope !== "turn" && key !== "history")
  }

  /** A request without limits that repeats a cut. */
  #make(cut: Record<string, CutSize>, given = this.#given): Assembly {
    const { dialect, prompt, counter } = this.#options
    const free = given.map((injection): Injection => {
      if (!injection.fit) return injection
      const { rank, shrink, scores } = injection.fit
      return { ...injection, fit: scores ? { rank, shrink, scores } : { rank, shrink } }
    })
    return assembleInjections(free, { dialect: { ...dialect }, prompt, counter: { ...counter }, cut })
  }

  #reach(injection: Injection, goal: Goal): void {
    if (!this.#prints(injection.key) || goal.excess(this.#request) <= 0) return
    if (this.#shorten(injection, goal) && goal.excess(this.#request) <= 0) return
    const group = injection.fit?.group
    const gone = this.#given.filter(
      ({ key, fit }) => key === injection.key || (group !== undefined && fit?.group === group && this.#prints(key)),
    )
    if (gone.some(({ fit }) => (fit?.minTokens ?? 0) > 0)) return
    const cut = { ...this.#cut }
    for (const { key } of gone) cut[key] = { dropped: true }
    if (!this.#adopt(cut, goal)) return
    for (const { key } of gone)
      this.#reasons[key] = key === injection.key ? goal.reason : `dropped with ${injection.key}, of its group`
  }

  #shorten(injection: Injection, goal: Goal): boolean {
    const { key, content, fit } = injection
    const sizes = Array.isArray(content) ? this.#listSizes(injection) : textSizes(injection)
    const earlier = this.#cut[key]
    const most = earlier ? amountOf(earlier) : Number.POSITIVE_INFINITY
    const least = fit?.minTokens ?? 0
    let found: Record<string, CutSize> | undefined
    for (const size of sizes.filter((one) => amountOf(one) < most)) {
      const cut = { ...this.#cut, [key]: size }
      const request = this.#make(cut)
      if (least > 0 && content_(request, key, this.#options.counter) < least) break
      found = cut
      if (goal.excess(request) <= 0) break
    }
    if (!found || !this.#adopt(found, goal)) return false
    this.#reasons[key] = goal.reason
    return true
  }

  /** Takes a cut over, unless it is of no use. */
  #adopt(cut: Record<string, CutSize>, goal: Goal): boolean {
    const request = this.#make(cut)
    if (goal.excess(request) > 0 && total(request) >= total(this.#request)) return false
    this.#cut = cut
    this.#request = request
    return true
  }

  /** A list with fewer and fewer entries. */
  #listSizes({ key, content, fit }: Injection): CutSize[] {
    if (fit?.shrink !== "entries") return []
    const entries = content as readonly SlotEntry[]
    const units = unitsOf(entries)
    const order = fit.scores ? byScore(units, fit.scores) : answersFirst(units, entries)
    const step = key === "history" ? this.#step() : 0
    const sizes: CutSize[] = []
    let [left, gone, mark] = [entries.length, 0, step]
    for (const [index, unit] of order.entries()) {
      left -= unit.length
      for (const at of unit) gone += this.#values(entries[at])
      if (gone < mark && index < order.length - 1) continue
      if (step > 0) while (mark <= gone) mark += step
      sizes.push({ entries: left, of: entries.length })
    }
    return sizes
  }

  /** The tokens of a step in which history is cut: a share of what is left of the budget beside what stays from turn to turn. */
  #step(): number {
    const { budgetTokens, history } = this.#options
    const lasting = Math.min(total(this.#make({}, this.#lasting())), budgetTokens - this.#turnRoom())
    const room = budgetTokens - (history.reserveTokens ?? 0) - lasting
    return Math.max(1, Math.floor((1 - (history.lowWater ?? 0.5)) * Math.max(room, 1)))
  }

  #values(value: SlotEntry | SlotValue | undefined): number {
    if (typeof value === "string") return this.#options.counter.count(value)
    if (typeof value !== "object") return 0
    if ("text" in value && typeof value.text === "string" && "trust" in value) return this.#options.counter.count(value.text)
    return Object.values(value).reduce<number>((sum, one) => sum + this.#values(one), 0)
  }

  #prints(key: string): boolean {
    return this.#request.spans.some((span) => span.key === key)
  }

  #own(request: Assembly, key: string): number {
    return request.spans.reduce((sum, span) => sum + (span.key === key ? this.#options.counter.count(span.text) : 0), 0)
  }

  #ofTurn(): number {
    return this.#request.spans.reduce(
      (sum, { stability, text }) => sum + (stability === "turn" ? this.#options.counter.count(text) : 0),
      0,
    )
  }

  /** The tokens of an injection before anything was cut. */
  from(key: string): number {
    return this.#own(this.#whole, key)
  }
}

function total({ tokens, overheadTokens }: Assembly): number {
  return tokens + overheadTokens
}

function content_({ spans }: Assembly, own: string, counter: TokenCounter): number {
  return spans.reduce((sum, { key, part, text }) => sum + (key === own && part === "content" ? counter.count(text) : 0), 0)
}

function amountOf(cut: CutSize): number {
  return "dropped" in cut ? 0 : "entries" in cut ? cut.entries : cut.characters
}

function textSizes({ content, fit }: Injection): CutSize[] {
  if (fit === undefined || fit.shrink === "drop" || fit.shrink === "entries" || typeof content === "boolean") return []
  const { length } = typeof content === "string" ? content : isText(content) ? content.text : ""
  return Array.from({ length }, (_, index) => ({ characters: length - 1 - index }))
}

/** The entries that stay or go together: one, and those behind it that answer it. */
function unitsOf(entries: readonly SlotEntry[]): number[][] {
  const units: number[][] = []
  for (const [at, { answers }] of entries.entries()) {
    if (answers === true && units.length > 0) units.at(-1)?.push(at)
    else units.push([at])
  }
  return units
}

function byScore(units: readonly number[][], scores: readonly number[]): number[][] {
  return units.toSorted(([a = 0], [b = 0]) => (scores[a] ?? 0) - (scores[b] ?? 0))
}

/** The oldest first, but a message of the user behind the agent's that follow it. */
function answersFirst(units: readonly number[][], entries: readonly SlotEntry[]): number[][] {
  const order: number[][] = []
  let asked: number[] | undefined
  for (const unit of units) {
    const role = entries[unit[0] ?? 0]?.role
    if (asked && role !== "assistant") order.push(asked)
    if (role !== "assistant") asked = undefined
    if (role === "user") asked = unit
    else order.push(unit)
  }
  return asked ? [...order, asked] : order
}
