import type { Draft } from "./draft.ts"
import type { MessageCounter } from "./tokens/counted-message.ts"

/** The tokens of everything that an injection prints, each piece by itself. */
export interface KeyTokens {
  readonly own: number
  /** Those that no neighbour takes away. */
  readonly least: number
}

/** The tokens of a draft's pieces, each by itself. */
export interface DraftSummary {
  readonly byKey: ReadonlyMap<string, KeyTokens>
  /** Of the whole draft, fewer than it can ever have. */
  readonly leastTokens: number
}

const summaries = new WeakMap<Draft, { readonly counter: MessageCounter; readonly summary: DraftSummary }>()

/** Adds up a draft's pieces, once. */
export function summaryOf(draft: Draft, counter: MessageCounter): DraftSummary {
  const known = summaries.get(draft)
  if (known?.counter === counter) return known.summary
  const summary = summarise(draft, counter)
  summaries.set(draft, { counter, summary })
  return summary
}

function summarise(draft: Draft, counter: MessageCounter): DraftSummary {
  const byKey = new Map<string, { own: number; least: number }>()
  let leastTokens = 0
  let key: string | undefined
  let sums = { own: 0, least: 0 }
  for (const { pieces } of draft.messages) {
    for (const piece of pieces) {
      if (piece.key !== key) {
        key = piece.key
        sums = byKey.get(key) ?? { own: 0, least: 0 }
        byKey.set(key, sums)
      }
      const least = counter.least(piece)
      sums.own += counter.part(piece)
      sums.least += least
      leastTokens += least
    }
  }
  return { byKey, leastTokens }
}
