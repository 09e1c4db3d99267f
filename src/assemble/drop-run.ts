import type { Injection } from "../core/value.ts"
import { fewestGone, gainsOf } from "./cut-search.ts"
import type { Draft, Piece } from "./draft.ts"
import { summaryOf } from "./draft-summary.ts"
import type { FitState, Goal, Tryout } from "./fit-state.ts"
import { namesOf } from "./landing.ts"

/** True for an injection that stands in the rest slot, is on no condition, and can only be dropped, by itself. */
export function isPlainDrop(injection: Injection | undefined, { options: { file }, draft }: FitState): boolean {
  if (!injection?.fit) return false
  const { key, fit } = injection
  const { slots, conditions } = namesOf(file.template.nodes)
  const isAlone = fit.shrink === "drop" && fit.group === undefined && (fit.minTokens ?? 0) <= 0
  return isAlone && !slots.has(key) && !conditions.has(key) && draft.printed.has(key)
}

/**
 * Drops the first ones of a run of plain drops, as few as it takes. How many is found by counting what is composed without
 * their pieces; it is composed anew only where the first item of a slot goes.
 */
export function dropRun(
  state: FitState,
  run: readonly Injection[],
  goalOf: (state: FitState, injection: Injection) => Goal,
): void {
  const { byKey } = summaryOf(state.draft, state.counter)
  const tokens = run.map(({ key }) => byKey.get(key) ?? { own: 0, least: 0 })
  const gains = gainsOf(
    tokens.map(({ own }) => own),
    tokens.map(({ least }) => least),
  )
  let over = -state.budgetTokens
  for (const { own } of byKey.values()) over += own
  const withoutFirst = withoutFirstOf(state.draft, run)
  let tried: { readonly count: number; readonly draft: Draft } | undefined
  const tryFirst = (count: number): Draft => {
    if (tried?.count !== count) tried = { count, draft: withoutFirst(count) }
    return tried.draft
  }
  const first = fewestGone(gains, over, (count) => state.excess(tryFirst(count))) ?? run.length
  for (let count = first; count <= run.length; count++) {
    const dropped = run.slice(0, count)
    const keys = new Set(dropped.map(({ key }) => key))
    const tryout = firstsStay(state, keys) ? filtered(state, keys, tryFirst(count)) : state.without(keys)
    if (state.excess(tryout.draft) > 0 && count < run.length) continue
    adoptDrops(state, tryout, dropped, goalOf)
    return
  }
}

/** What is left, composed already. */
function filtered(state: FitState, gone: ReadonlySet<string>, { messages }: Draft): Tryout {
  const printed = new Set(state.draft.printed)
  for (const key of gone) printed.delete(key)
  return { injections: state.injections.filter(({ key }) => !gone.has(key)), draft: { messages, printed } }
}

/**
 * True where each slot that collects items keeps its first one. What stands between two items belongs to the later one and is
 * the same wherever that stands; only before the first one it is the prompt file's own.
 */
function firstsStay({ injections, draft, options: { file } }: FitState, gone: ReadonlySet<string>): boolean {
  const { slots } = namesOf(file.template.nodes)
  const firsts: { system?: Injection; developer?: Injection } = {}
  for (const injection of injections) {
    const { key, role, priority } = injection
    if (priority >= (firsts[role]?.priority ?? Number.POSITIVE_INFINITY)) continue
    if (draft.printed.has(key) && !slots.has(key)) firsts[role] = injection
  }
  return Object.values(firsts).every(({ key }) => !gone.has(key))
}

function adoptDrops(
  state: FitState,
  tryout: Tryout,
  dropped: readonly Injection[],
  goalOf: (state: FitState, injection: Injection) => Goal,
): void {
  const [last] = dropped.slice(-1)
  if (!last) return
  const steps = dropped.map((injection) => ({
    key: injection.key,
    cut: { dropped: true } as const,
    reason: goalOf(state, injection).reason,
  }))
  state.adopt(tryout, goalOf(state, last), steps)
}

/** Makes drafts without the pieces of the first ones of a run: as if composed, but for the white space where the first of a slot goes. */
function withoutFirstOf({ messages, printed }: Draft, run: readonly Injection[]): (count: number) => Draft {
  const places = new Map(run.map(({ key }, index) => [key, index]))
  const numbers = messages.map(({ pieces }) => numbersOf(pieces, places))
  return (count) => ({
    printed,
    messages: messages.map((message, index) => {
      const number = numbers[index]
      const pieces = number ? message.pieces.filter((_, at) => (number[at] ?? count) >= count) : message.pieces
      return pieces.length === message.pieces.length ? message : { ...message, pieces, written: undefined }
    }),
  })
}

/** By piece, the place in the run of what printed it; above them all for what is not of the run, `undefined` where nothing is. */
function numbersOf(pieces: readonly Piece[], places: ReadonlyMap<string, number>): Uint32Array | undefined {
  const numbers = new Uint32Array(pieces.length)
  let [key, place, isAny] = ["", places.size, false]
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at]
    if (piece && piece.key !== key) {
      key = piece.key
      place = places.get(key) ?? places.size
      isAny ||= place < places.size
    }
    numbers[at] = place
  }
  return isAny ? numbers : undefined
}
