import type { Draft } from "./draft.ts"
import type { MessageCounter } from "./tokens/counted-message.ts"

/** The tokens of a draft's pieces, each by itself. */
export interface DraftSummary {
  /** By key, of everything that an injection prints. */
  readonly own: ReadonlyMap<string, number>
  /** By key, those that no neighbour takes away. */
  readonly least: ReadonlyMap<string, number>
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
  const own = new Map<string, number>()
  const least = new Map<string, number>()
  let leastTokens = 0
  let key = ""
  let sums = { own: 0, least: 0 }
  const close = (): void => {
    own.set(key, (own.get(key) ?? 0) + sums.own)
    least.set(key, (least.get(key) ?? 0) + sums.least)
    leastTokens += sums.least
  }
  for (const { pieces } of draft.messages) {
    for (const piece of pieces) {
      if (piece.key !== key) {
        close()
        key = piece.key
        sums = { own: 0, least: 0 }
      }
      sums.own += counter.part(piece)
      sums.least += counter.least(piece)
    }
  }
  close()
  return { own, least, leastTokens }
}
