import { type Part, partOf } from "./part.ts"
import type { PartStore } from "./part-store.ts"
import { scanWhole } from "./piece-window.ts"

/** Beginnings and ends of a text, counted from the pieces that they share: trying another size splits a few characters. */
export class TextSlices {
  readonly #text: string
  readonly #store: PartStore
  /** The text's first pieces, as far as they were wanted. */
  readonly #ends: number[] = []
  readonly #tokens: number[] = []
  /** The pieces of the text from one place on. */
  #last: { readonly from: number; readonly ends: readonly number[]; readonly tokens: readonly number[] } | undefined

  constructor(text: string, store: PartStore) {
    this.#text = text
    this.#store = store
  }

  /** Where the text's first tokens end, so many of them at least, or its end. */
  headOf(tokens: number): { readonly units: number; readonly tokens: number } {
    let [sum, count] = [0, 0]
    while (count < this.#tokens.length && sum < tokens) sum += this.#tokens[count++] ?? 0
    if (sum < tokens) {
      this.#scanOn((own) => {
        sum += own
        count++
        return sum < tokens
      })
    }
    return { units: count === 0 ? 0 : (this.#ends[count - 1] ?? 0), tokens: sum }
  }

  /** Makes the text up to `end` known to the store. */
  learnHead(end: number): void {
    if (end > 0) this.#store.add(this.#head(end))
  }

  /** Makes the text from `start` on known to the store. */
  learnTail(start: number): void {
    if (start < this.#text.length) this.#store.add(this.#tail(start))
  }

  #head(end: number): Part {
    if ((this.#ends.at(-1) ?? 0) < Math.min(end + 1, this.#text.length)) this.#scanOn((_, at) => at <= end)
    let whole = 0
    while ((this.#ends[whole] ?? Number.POSITIVE_INFINITY) <= end) whole++
    for (let back = 4; ; back *= 2) {
      const from = Math.max(0, whole - back)
      const start = from === 0 ? 0 : (this.#ends[from - 1] ?? 0)
      const window = scanWhole(this.#text.slice(start, end), this.#store.scan)
      // A piece that stays vouches for all before it.
      if (from > 0 && start + (window.ends[0] ?? 0) !== this.#ends[from]) continue
      return partOf({
        text: this.#text.slice(0, end),
        ends: [...this.#ends.slice(0, from), ...window.ends.map((at) => at + start)],
        tokens: [...this.#tokens.slice(0, from), ...window.tokens],
        isWhole: true,
      })
    }
  }

  #tail(start: number): Part {
    const { from, ends, tokens } = this.#piecesFrom(start)
    let first = 0
    while (first < ends.length && startAt(ends, first, from) < start) first++
    for (let ahead = 3; ; ahead *= 2) {
      const to = Math.min(ends.length, first + ahead)
      const window = scanWhole(this.#text.slice(start, to === 0 ? from : (ends[to - 1] ?? 0)), this.#store.scan)
      const own = window.ends.findIndex((end, index) => {
        const piece = ends.indexOf(start + end, Math.max(0, first - 1))
        return piece >= 0 && startAt(ends, piece, from) === start + (index === 0 ? 0 : (window.ends[index - 1] ?? 0))
      })
      if (own < 0 && to < ends.length) continue
      const resumed = own < 0 ? ends.length : ends.indexOf(start + (window.ends[own] ?? 0))
      const kept = own < 0 ? window.ends.length : own
      return partOf({
        text: this.#text.slice(start),
        ends: [...window.ends.slice(0, kept), ...ends.slice(resumed).map((end) => end - start)],
        tokens: [...window.tokens.slice(0, kept), ...tokens.slice(resumed)],
        isWhole: true,
      })
    }
  }

  /** The pieces of the text from `start` or some place before it. */
  #piecesFrom(start: number) {
    if (this.#last && this.#last.from <= start) return this.#last
    const from = Math.max(0, start - ((this.#text.length - start) >> 4) - 32)
    const { ends, tokens } = scanWhole(this.#text.slice(from), this.#store.scan)
    this.#last = { from, ends: ends.map((end) => end + from), tokens }
    return this.#last
  }

  /** Splits on where the known pieces end, until one after which no more are wanted. */
  #scanOn(wantsMore: (tokens: number, end: number) => boolean): void {
    const start = this.#ends.at(-1) ?? 0
    if (start >= this.#text.length) return
    this.#store.scan(this.#text.slice(start), (end, tokens) => {
      this.#ends.push(start + end)
      this.#tokens.push(tokens)
      return wantsMore(tokens, start + end)
    })
  }
}

function startAt(ends: readonly number[], piece: number, from: number): number {
  return piece === 0 ? from : (ends[piece - 1] ?? from)
}
