import type { FitRule, Injection } from "../../core/value.ts"
import { templateNames } from "../../dialect/dialect-names.ts"
import { slotOf } from "../../layers/combine-injections.ts"
import { type Draft, type DraftMessage, type DraftSummary, type Piece, summaryOf } from "../draft/draft.ts"
import type { FitState, Goal, KeyPlaces, Tryout } from "./fit-state.ts"
import { fewestGone, type Gains, gainsOf } from "./search.ts"

/** The injections from index `from` on that have no slot or condition of their own and can only be dropped, each by itself. */
export function plainDropsFrom(
  order: readonly Injection[],
  from: number,
  { options: { file }, draft: { printed } }: FitState,
): readonly Injection[] {
  const { all: named } = templateNames(file.template.nodes)
  const isPlain = ({ key, fit }: Injection): boolean => isDrop(fit) && !named.has(slotOf(key)) && printed.has(key)
  let end = from
  for (let injection = order[end]; injection && isPlain(injection); injection = order[end]) end++
  return order.slice(from, end)
}

function isDrop(fit: FitRule | undefined): boolean {
  return fit?.shrink === "drop" && fit.group === undefined && (fit.minTokens ?? 0) <= 0
}

/**
 * Drops the first injections of a run of plain drops, as few as needed. The number is found by counting the composed draft
 * without their pieces. The draft is composed anew only if the first item of a slot is dropped.
 */
export function dropRun(
  state: FitState,
  run: readonly Injection[],
  goalOf: (state: FitState, injection: Injection) => Goal,
): void {
  const summary = summaryOf(state.draft, state.counter)
  const places = new RunPlaces(run, { draft: state.draft, summary, places: state.options.places })
  let tried: { readonly count: number; readonly draft: Draft } | undefined
  const tryFirst = (count: number): Draft => {
    if (tried?.count !== count) tried = { count, draft: places.withoutFirst(count) }
    return tried.draft
  }
  const loss = seamLoss(state, places)
  const over = summary.totalOwnTokens - loss * run.length - state.budgetTokens
  const first = fewestGone(places.gains(loss), over, (count) => state.excess(tryFirst(count))) ?? run.length
  for (let count = first; count <= run.length; count++) {
    const dropped = run.slice(0, count)
    const isGone = (key: string) => places.isOfFirst(key, count)
    const tryout = firstsStay(state, isGone) ? filtered(state, isGone, tryFirst(count)) : state.without(isGone)
    if (state.excess(tryout.draft) > 0 && count < run.length) continue
    const steps = dropped.map((injection, place) => ({
      key: injection.key,
      cut: wholly,
      reason: goalOf(state, injection).reason,
      fromTokens: places.ownTokens[place] ?? 0,
    }))
    const last = dropped.at(-1)
    if (last) state.adopt(tryout, goalOf(state, last), steps)
    return
  }
}

const wholly = { dropped: true } as const

/** The number of items that are counted together to learn how many tokens an item loses at its seams. */
const sampled = 16

/** The tokens that an item has fewer among others than by itself, measured on the last items of a long run. A hint for the search. */
function seamLoss(state: FitState, places: RunPlaces): number {
  const { length } = places.ownTokens
  if (length < sampled * 8) return 0
  const [more, fewer] = [length - sampled * 2, length - sampled]
  const own = places.ownTokens.slice(more, fewer).reduce((sum, tokens) => sum + tokens, 0)
  return (own - state.excess(places.withoutFirst(more)) + state.excess(places.withoutFirst(fewer))) / sampled
}

/** The tryout whose draft is known already. */
function filtered(state: FitState, isGone: (key: string) => boolean, { messages }: Draft): Tryout {
  const { printed: before } = state.draft
  const printed = { has: (key: string) => before.has(key) && !isGone(key) }
  return { injections: state.injections.filter(({ key }) => !isGone(key)), draft: { messages, printed } }
}

/**
 * True if each collecting slot keeps its first item. The white space between two items belongs to the later one and stays the
 * same wherever that stands; only the white space before the first item is the prompt file's own. The slot of an item depends
 * on its role and on whether its scope is global, so the first item of each such kind is checked.
 */
function firstsStay({ injections, draft, options: { file } }: FitState, isGone: (key: string) => boolean): boolean {
  const { slots } = templateNames(file.template.nodes)
  const firsts: Injection[] = []
  for (const injection of injections) {
    const { key, role, scope, priority } = injection
    const kind = (role === "developer" ? 2 : 0) + (scope === "global" ? 1 : 0)
    if (priority >= (firsts[kind]?.priority ?? Number.POSITIVE_INFINITY)) continue
    if (draft.printed.has(key) && !slots.has(key)) firsts[kind] = injection
  }
  return firsts.every(({ key }) => !isGone(key))
}

/** The runs of a message's pieces, from number `from` up to `to`, and the number of dropped items. */
interface PieceRange {
  readonly from: number
  readonly to: number
  readonly count: number
}

/** The pieces that each item of a run prints in a draft. */
class RunPlaces {
  /** By item, the tokens of what it prints, each piece counted by itself. */
  readonly ownTokens: readonly number[]
  /** By item, the tokens that no seam can take away. */
  readonly #leastTokens: readonly number[]
  readonly #draft: Draft
  readonly #summary: DraftSummary
  readonly #places: KeyPlaces
  /** By the place of a key, the number of its item in the run; the length of the run for other keys. */
  readonly #numbers: Uint32Array
  /** By run of pieces, the number of the item that printed it. */
  readonly #printers: Uint32Array

  constructor(
    run: readonly Injection[],
    { draft, summary, places }: { readonly draft: Draft; readonly summary: DraftSummary; readonly places: KeyPlaces },
  ) {
    this.#draft = draft
    this.#summary = summary
    this.#places = places
    this.#numbers = new Uint32Array(places.count).fill(run.length)
    for (let number = 0; number < run.length; number++) {
      const place = places.of.get(run[number]?.key ?? "")
      if (place !== undefined) this.#numbers[place] = number
    }
    this.#printers = new Uint32Array(summary.keys.length)
    const [own, least] = [new Array<number>(run.length).fill(0), new Array<number>(run.length).fill(0)]
    for (let at = 0; at < summary.keys.length; at++) {
      const number = this.#numberOf(summary.keys[at] ?? "") ?? run.length
      this.#printers[at] = number
      if (number === run.length) continue
      own[number] = (own[number] ?? 0) + (summary.ownTokens[at] ?? 0)
      least[number] = (least[number] ?? 0) + (summary.leastTokens[at] ?? 0)
    }
    this.ownTokens = own
    this.#leastTokens = least
  }

  /** About the tokens that the draft loses with the first items of the run, each by `loss` fewer than by itself. */
  gains(loss: number): Gains {
    const tokens = loss === 0 ? this.ownTokens : this.ownTokens.map((own) => own - loss)
    return gainsOf(tokens, this.#leastTokens)
  }

  /** True for the key of one of the run's first items. */
  isOfFirst(key: string, count: number): boolean {
    return (this.#numberOf(key) ?? count) < count
  }

  /** The draft without the first items of the run. It equals a composed one, if no slot loses its first item. */
  withoutFirst(count: number): Draft {
    const { messages, printed } = this.#draft
    let from = 0
    return {
      printed,
      messages: messages.map((message, index) => {
        const to = this.#summary.messageEnds[index] ?? from
        const pieces = this.#piecesOf(message, { from, to, count })
        from = to
        return pieces.length === message.pieces.length ? message : { ...message, pieces, written: undefined }
      }),
    }
  }

  #numberOf(key: string): number | undefined {
    const place = this.#places.of.get(key)
    return place === undefined ? undefined : this.#numbers[place]
  }

  #piecesOf({ pieces }: DraftMessage, { from, to, count }: PieceRange): readonly Piece[] {
    const kept: Piece[] = []
    let at = 0
    for (let run = from; run < to; run++) {
      const end = this.#summary.ends[run] ?? at
      const stays = (this.#printers[run] ?? count) >= count
      for (; at < end; at++) {
        const piece = stays ? pieces[at] : undefined
        if (piece) kept.push(piece)
      }
    }
    return kept
  }
}
