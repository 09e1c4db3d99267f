import { countUpTo } from "../../../core/binary-search.ts"
import type { Countable } from "./message-counter.ts"
import { type Part, partOfKnown } from "./part.ts"
import type { PartStore } from "./part-store.ts"
import { scanWhole, startOf, sumTokens } from "./piece-window.ts"

/** Counts beginnings and ends of a text from the pieces that they share. To try another size, only a few characters are split. */
export class TextSlices {
  readonly #text: string
  readonly #store: PartStore
  /** The text's first pieces, as far as they were needed. */
  readonly #first: PieceLine = { from: 0, ends: [], sums: [] }
  /** The pieces of the text from one place on. */
  #last: PieceLine

  constructor(text: string, store: PartStore) {
    this.#text = text
    this.#store = store
    this.#last = { from: text.length, ends: [], sums: [] }
  }

  /** True if the text has more than `tokens` tokens. No token spans more than `longestToken` UTF-16 units. */
  exceeds(tokens: number, longestToken = Number.POSITIVE_INFINITY): boolean {
    const { ends, sums } = this.#first
    const isOver = () => (sums.at(-1) ?? 0) + (this.#text.length - (ends.at(-1) ?? 0)) / longestToken > tokens
    if (!isOver()) this.#scanOn(() => !isOver())
    return isOver()
  }

  /** About the place up to which the text has so many tokens, or the text's end. Inside a piece, its tokens are taken for even. */
  unitsOf(tokens: number): number {
    const line = this.#first
    const isMore = () => (line.sums.at(-1) ?? 0) < tokens
    if (isMore()) this.#scanOn(isMore)
    const before = countUpTo(line.sums, tokens)
    const [start, counted] = [lineEnd(line, before), lineTokens(line, before)]
    if (before === line.ends.length) return start
    const share = (tokens - counted) / (lineTokens(line, before + 1) - counted)
    return start + Math.round(share * (lineEnd(line, before + 1) - start))
  }

  /** Adds the text up to `end` to the store. */
  learnHead(end: number): void {
    if (end > 0) this.#store.add(this.#head(end))
  }

  /** Adds the text from `start` on to the store. */
  learnTail(start: number): void {
    if (start < this.#text.length) this.#store.add(this.#tail(start))
  }

  /** The text up to `end`, which is not 0. */
  head(end: number): Countable {
    return this.#known(this.#head(end))
  }

  /** The text from `start` on, which is not its end. */
  tail(start: number): Countable {
    return this.#known(this.#tail(start))
  }

  #known(part: Part): Countable {
    return { text: part.text, known: { store: this.#store, part, after: undefined, seam: undefined } }
  }

  #head(end: number): Part {
    const line = this.#first
    if ((line.ends.at(-1) ?? 0) < Math.min(end + 1, this.#text.length)) this.#scanOn((at) => at <= end)
    const whole = countUpTo(line.ends, end)
    for (let back = 4; ; back *= 2) {
      const from = Math.max(0, whole - back)
      const start = lineEnd(line, from)
      const window = scanWhole(this.#text.slice(start, end), this.#store.scan)
      // If a piece stays, all pieces before it stay.
      if (from > 0 && start + (window.ends[0] ?? 0) !== line.ends[from]) continue
      return partOfKnown(this.#text.slice(0, end), {
        count: from + window.ends.length,
        endOf: (count) => (count <= from ? lineEnd(line, count) : start + startOf(window, count - from)),
        tokensOf: (count) => lineTokens(line, Math.min(count, from)) + sumTokens(window.tokens, 0, count - from),
      })
    }
  }

  #tail(start: number): Part {
    const line = this.#piecesFrom(start)
    const all = line.ends.length
    const first = start <= line.from ? 0 : countUpTo(line.ends, start - 1) + 1
    for (let ahead = 3; ; ahead *= 2) {
      const to = Math.min(all, first + ahead)
      const window = scanWhole(this.#text.slice(start, lineEnd(line, to)), this.#store.scan)
      let kept = 0
      let resumed = -1
      for (; resumed < 0 && kept < window.ends.length; kept++)
        resumed = pieceBetween(line, start + startOf(window, kept), start + startOf(window, kept + 1))
      if (resumed < 0 && to < all) continue
      const own = resumed < 0 ? all : resumed + 1
      return partOfKnown(this.#text.slice(start), {
        count: kept + all - own,
        endOf: (count) => (count <= kept ? startOf(window, count) : lineEnd(line, own + count - kept) - start),
        tokensOf: (count) =>
          sumTokens(window.tokens, 0, Math.min(count, kept)) +
          Math.max(0, lineTokens(line, own + count - kept) - lineTokens(line, own)),
      })
    }
  }

  /** The pieces of the text from `start`, or from some place before it: the first pieces, if they reach so far, or else new ones. */
  #piecesFrom(start: number): PieceLine {
    const after = this.#last
    if (after.from <= start) return after
    const from = Math.max(0, start - ((this.#text.length - start) >> 6) - marginUnits)
    const line = start < lineEnd(this.#first, this.#first.ends.length) ? this.#first : { from, ends: [], sums: [] }
    const known = lineEnd(line, line.ends.length)
    let met = -1
    this.#store.scan(this.#text.slice(known), (end, tokens) => {
      const at = lineEnd(line, line.ends.length)
      addPiece(line, known + end, tokens)
      // From the first piece that both lines have, the known line goes on.
      met = at < after.from ? -1 : pieceBetween(after, at, known + end)
      return met < 0
    })
    this.#last = met < 0 ? line : append(line, after, met + 1)
    return this.#last
  }

  /** Splits the text from the end of the known pieces on, as long as `wantsMore` says so. */
  #scanOn(wantsMore: (end: number) => boolean): void {
    const line = this.#first
    const start = line.ends.at(-1) ?? 0
    if (start >= this.#text.length) return
    this.#store.scan(this.#text.slice(start), (end, tokens) => {
      addPiece(line, start + end, tokens)
      return wantsMore(start + end)
    })
  }
}

/** UTF-16 units that are split before the asked place, because an earlier place may be asked for next. */
const marginUnits = 32

/** Pieces of a text that follow each other, from the place `from` on. */
interface PieceLine {
  readonly from: number
  /** The end of each piece in the text. */
  readonly ends: number[]
  /** The tokens up to the end of each piece. */
  readonly sums: number[]
}

function addPiece({ ends, sums }: PieceLine, end: number, tokens: number): void {
  sums.push((sums.at(-1) ?? 0) + tokens)
  ends.push(end)
}

/** The end of the first `count` pieces of a line. */
function lineEnd({ from, ends }: PieceLine, count: number): number {
  return count === 0 ? from : (ends[count - 1] ?? from)
}

/** Tokens of the first `count` pieces of a line. */
function lineTokens({ sums }: PieceLine, count: number): number {
  return count === 0 ? 0 : (sums[count - 1] ?? 0)
}

/** The index of the piece of a line that begins and ends at two places; -1 if there is none. */
function pieceBetween(line: PieceLine, start: number, end: number): number {
  const piece = countUpTo(line.ends, end) - 1
  return piece >= 0 && lineEnd(line, piece + 1) === end && lineEnd(line, piece) === start ? piece : -1
}

/** Appends to a line the pieces of another one, from index `from` on. */
function append(line: PieceLine, after: PieceLine, from: number): PieceLine {
  const more = lineTokens(line, line.ends.length) - lineTokens(after, from)
  for (let piece = from; piece < after.ends.length; piece++) {
    line.ends.push(after.ends[piece] ?? 0)
    line.sums.push((after.sums[piece] ?? 0) + more)
  }
  return line
}
