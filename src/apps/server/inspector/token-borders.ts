import type { TokenCounter } from "../../../core/ports.ts"

/** A run of characters that is one token, or several that cannot be told apart by counting. */
export interface TokenRun {
  /** The UTF-16 offset behind its last character. */
  readonly end: number
  /** More than 1 for a character of several tokens, and for a long piece. */
  readonly tokens: number
}

/** The most characters of a text whose borders are looked for. */
export const maxBorderCharacters = 5_000

/** In a longer piece of the tokenizer the borders are not looked for: that takes the square of its length. */
const maxPiece = 60

/**
 * The borders of tokens in a text. A counter only counts, so a border is where the counts of both sides add up to that of the whole: the
 * runs have as many tokens as the text. Inside a word, where several borders fit, the tokenizer may have another one. Undefined if the counter does not tell its pieces.
 */
export function tokenBorders(text: string, counter: TokenCounter): readonly TokenRun[] | undefined {
  const starts = counter.pieces?.(text)
  if (!starts) return undefined
  return [...starts].flatMap((start, at) => pieceRuns(text.slice(start, starts[at + 1] ?? text.length), start, counter))
}

function pieceRuns(piece: string, start: number, counter: TokenCounter): TokenRun[] {
  const runs: TokenRun[] = []
  let [at, left] = [0, counter.count(piece)]
  while (left > 1 && piece.length <= maxPiece) {
    const end = firstBorder(piece.slice(at), left, counter)
    if (end === undefined) break
    at += end.end
    left -= end.tokens
    runs.push({ end: start + at, tokens: end.tokens })
  }
  return at < piece.length ? [...runs, { end: start + piece.length, tokens: left }] : runs
}

/** The longest beginning of a text that is one token, else the shortest that ends with one. */
function firstBorder(text: string, tokens: number, counter: TokenCounter): TokenRun | undefined {
  let found: TokenRun | undefined
  for (let end = text.length - 1; end > 0; end--) {
    const unit = text.charCodeAt(end)
    if (unit >= 0xdc00 && unit < 0xe000) continue
    const own = counter.count(text.slice(0, end))
    if (own + counter.count(text.slice(end)) !== tokens) continue
    found = { end, tokens: own }
    if (own === 1) break
  }
  return found
}
