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
 * their pieces, then seen to be right by composing.
 */
export function dropRun(
  state: FitState,
  run: readonly Injection[],
  goalOf: (state: FitState, injection: Injection) => Goal,
): void {
  const { own, least } = summaryOf(state.draft, state.counter)
  const gains = gainsOf(
    run.map(({ key }) => own.get(key) ?? 0),
    run.map(({ key }) => least.get(key) ?? 0),
  )
  let over = -state.budgetTokens
  for (const tokens of own.values()) over += tokens
  const gone = new Map(run.map(({ key }, index) => [key, index]))
  const first = fewestGone(gains, over, (count) => state.excess(withoutFirst(state.draft, gone, count))) ?? run.length
  for (let count = first; count <= run.length; count++) {
    const tryout = state.without(new Set(run.slice(0, count).map(({ key }) => key)))
    if (state.excess(tryout.draft) > 0 && count < run.length) continue
    adoptDrops(state, tryout, run.slice(0, count), goalOf)
    return
  }
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

/** A draft without the pieces of what is gone; it may differ from the composed one where the first of a list goes. */
function withoutFirst({ messages, printed }: Draft, gone: ReadonlyMap<string, number>, count: number): Draft {
  return {
    printed,
    messages: messages.map((message) => {
      const pieces: Piece[] = []
      let key = ""
      let isGone = false
      for (const piece of message.pieces) {
        if (piece.key !== key) {
          key = piece.key
          isGone = (gone.get(key) ?? count) < count
        }
        if (!isGone) pieces.push(piece)
      }
      return { ...message, pieces }
    }),
  }
}
