import type { TokenCounter } from "../../core/ports.ts"
import type { Countable, MessageCounter } from "./counted-message.ts"
import { Generations } from "./generations.ts"

/** Half of what is remembered. */
const limits = { entries: 16_384, weight: 4_194_304 }

/** Adds up estimates of the texts: an estimate of the joined text would be no better. */
export function countBySums(counter: TokenCounter): MessageCounter {
  const known = new Generations<string, number>(limits)
  const estimate = (text: string): number => {
    const before = known.get(text, text.length)
    if (before !== undefined) return before
    const tokens = counter.estimate?.(text) ?? counter.count(text)
    known.set(text, tokens, text.length)
    return tokens
  }
  const message = (parts: readonly Countable[]): number => Math.ceil(parts.reduce((sum, { text }) => sum + estimate(text), 0))
  return {
    text: (text) => Math.ceil(estimate(text)),
    part({ text }) {
      const tokens = estimate(text)
      return { tokens: Math.ceil(tokens), innerTokens: Math.floor(tokens) }
    },
    message,
    growth(parts) {
      const upTo = [0]
      let sum = 0
      for (const { text } of parts) {
        sum += estimate(text)
        upTo.push(Math.ceil(sum))
      }
      return {
        tokens: upTo[parts.length] ?? 0,
        shares: parts.map((_, index) => (upTo[index + 1] ?? 0) - (upTo[index] ?? 0)),
        upTo: (count) => upTo[count] ?? 0,
      }
    },
  }
}
