import type { TokenCounter } from "../../core/ports.ts"
import type { Countable, MessageCounter } from "./counted-message.ts"
import { Generations } from "./generations.ts"

/** Half of what is remembered. */
const limits = { entries: 4096, weight: 4_194_304 }

/** Counts each message whole, for a counter that says nothing of pieces: exact, at the price of whole counts. */
export function countWhole(counter: TokenCounter): MessageCounter {
  const known = new Generations<string, number>(limits)
  const text = (given: string): number => {
    const before = known.get(given, given.length)
    if (before !== undefined) return before
    const tokens = counter.count(given)
    known.set(given, tokens, given.length)
    return tokens
  }
  const message = (parts: readonly Countable[]): number =>
    parts.length === 0 ? 0 : text(parts.map((part) => part.text).join(""))
  return {
    text,
    part: (part) => ({ tokens: text(part.text), innerTokens: 0 }),
    message,
    growth(parts) {
      const tokens = message(parts)
      const counts = parts.length === 1 ? [tokens] : parts.map((part) => text(part.text))
      return {
        tokens,
        shares: scaled(counts, tokens),
        upTo: (count) => (count === parts.length ? tokens : message(parts.slice(0, count))),
      }
    },
  }
}

/** The counts, scaled to sum to `total`; what rounding takes from one goes to the next. */
function scaled(counts: readonly number[], total: number): readonly number[] {
  const sum = counts.reduce((all, count) => all + count, 0)
  if (sum === total) return counts
  let counted = 0
  let given = 0
  return counts.map((count, index) => {
    counted += sum === 0 ? 1 / counts.length : count
    const upTo = index === counts.length - 1 ? total : Math.round((counted * total) / (sum || 1))
    const share = upTo - given
    given = upTo
    return share
  })
}
