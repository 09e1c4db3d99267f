import type { TokenCounter } from "../../core/ports.ts"
import { countByPieces } from "./count-by-pieces.ts"
import { countBySums } from "./count-by-sums.ts"
import { countWhole } from "./count-whole.ts"
import type { MessageCounter } from "./counted-message.ts"
import { PartStore } from "./part-store.ts"
import { scanOf } from "./piece-window.ts"

const counters = new WeakMap<TokenCounter, MessageCounter>()

/**
 * The message counter of a counter. By pieces where it has them: exact, and no text twice. An exact one without pieces counts
 * each message whole; an estimate without pieces adds up its estimates of the texts.
 */
export function messageCounter(counter: TokenCounter): MessageCounter {
  const known = counters.get(counter)
  if (known) return known
  const scan = scanOf(counter)
  const made = scan ? countByPieces(new PartStore(scan)) : counter.exact ? countWhole(counter) : countBySums(counter)
  counters.set(counter, made)
  return made
}
