import type { TokenCounter } from "../../../src/core/ports.ts"
import { both } from "../../adapters/tokenizers/tiktoken/encoders.ts"

const { encoder } = both("o200k_base")

/** By text, the ends of its pieces and the tokens of each. Edited requests hold the same few texts over and over. */
const scanned = new Map<string, { readonly ends: readonly number[]; readonly tokens: readonly number[] }>()
const most = 100_000

function piecesOf(text: string) {
  const known = scanned.get(text)
  if (known) return known
  const [ends, tokens]: [number[], number[]] = [[], []]
  encoder.scan(text, (end, count) => {
    ends.push(end)
    tokens.push(count)
    return true
  })
  if (scanned.size >= most) scanned.clear()
  scanned.set(text, { ends, tokens })
  return { ends, tokens }
}

/** Tokens of a text as tiktoken counts them. */
export function tokensOf(text: string): number {
  return piecesOf(text).tokens.reduce((sum, tokens) => sum + tokens, 0)
}

/** A counter of o200k_base that has seen nothing: what is counted is remembered by counter. */
export function freshCounter(): TokenCounter {
  return {
    exact: true,
    count: tokensOf,
    pieces: encoder.pieces,
    scan(text, visit) {
      const { ends, tokens } = piecesOf(text)
      for (let at = 0; at < ends.length; at++) if (visit(ends[at] ?? 0, tokens[at] ?? 0) === false) return
    },
  }
}
