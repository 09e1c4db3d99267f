import { countUpTo, countWhile } from "../../../core/binary-search.ts"
import type { MergeWork } from "./piece-merge.ts"
import type { RankTable } from "./rank-table.ts"
import { TextMerge } from "./text-merge.ts"

/** A counted text: the places between its characters at which a token ends, and the tokens up to each. The first place is 0. */
interface TokenLine {
  readonly text: string
  readonly ends: Uint32Array
  readonly sums: Uint32Array
}

/** A counted text that a piece begins or ends with. Its place `at` is the piece's place `at + shift`. */
interface SharedText {
  readonly line: TokenLine
  readonly shift: number
  /** The shared text begins and ends at these places of the piece. */
  readonly from: number
  readonly to: number
}

/** So many texts are remembered, and so many UTF-16 units of them in all. A longer text is merged whole each time. */
const kept = { texts: 8, units: 4_194_304 }

/** So many token ends around the place where a piece and a counted text part are merged again; if they do not suffice, 8 times as many. */
const margin = 4

/** Fewer shared UTF-16 units are merged again. */
const leastShared = 128

/**
 * Counts long pieces, and remembers where the tokens of the last ones end. A piece that begins or ends like one of them is merged
 * only where it differs, so that each of the many cuts that are tried on an unbroken run costs little.
 *
 * It is exact: tokens are the merge of their bytes if and only if each two neighbours are the merge of theirs. If a token ends at
 * the same place of the shared text in the window that is merged again and in the counted text, then all tokens between that place
 * and the window's edge are the same, and so are the neighbours there. If there is no such place, the window grows.
 */
export class LongPieces {
  readonly #merge: TextMerge
  /** The ones that were used last come first. */
  #lines: readonly TokenLine[] = []

  constructor(table: RankTable, work: MergeWork) {
    this.#merge = new TextMerge(table, work)
  }

  /** The tokens of a well-formed piece. */
  count(piece: string): number {
    const start = runStart(piece)
    const apart = start === undefined || (start === 0 && this.#isBegun(piece)) ? undefined : this.#countApart(piece, start)
    return apart ?? this.#count(piece).tokens
  }

  /**
   * Counts a piece that ends in a long run of the same characters, such as line ends behind other characters, as what stands before a
   * place of the run and the run from there on. The same run was mostly counted before, and what it begins with moves all its tokens.
   * Gives nothing if no token ends where the run is cut.
   */
  #countApart(piece: string, start: number): number | undefined {
    this.#merge.load(piece, 0, Math.min(piece.length, start + leastShared))
    this.#merge.run()
    const { ends, sums } = this.#merge.places()
    const places = ends.flatMap((at, index) => (at >= Math.max(1, start) ? [index] : [])).slice(0, triedPlaces)
    const known = places.filter((index) => this.#isBegun(piece.slice(ends[index])))
    for (const index of known.length > 0 || start === 0 ? known : places.slice(0, 1)) {
      const [before, at] = [ends[index - 1] ?? 0, ends[index] ?? 0]
      const rest = this.#count(piece.slice(at))
      this.#merge.load(piece, before, at + rest.firstEnd)
      this.#merge.run()
      if (this.#merge.places().ends.includes(at - before)) return (sums[index] ?? 0) + rest.tokens
    }
    return undefined
  }

  /** True if a counted text begins like this one. */
  #isBegun(text: string): boolean {
    const beginning = text.slice(0, leastShared)
    return this.#lines.some((line) => line.text.startsWith(beginning))
  }

  /** The tokens of a piece, and a place at which one of its first tokens ends. */
  #count(piece: string): { readonly tokens: number; readonly firstEnd: number } {
    const left = best(this.#lines, (line) => sharedStart(line, piece))
    if (left?.to === piece.length && left.line.text.length === piece.length)
      return { tokens: sumUpTo(left, -1), firstEnd: left.line.ends[1] ?? 0 }
    const right = best(this.#lines, (line) => sharedEnd(line, piece, left?.to ?? 0))
    for (let [before, after] = [margin, margin]; ; ) {
      const first = left ? Math.max(0, countUpTo(left.line.ends, left.to) - before) : 0
      const from = left?.line.ends[first] ?? 0
      const last = right ? countUpTo(right.line.ends, right.from - right.shift) + after : 0
      const end = right?.line.ends[last]
      const to = right && end !== undefined ? end + right.shift : piece.length
      this.#merge.load(piece, from, to)
      const tokens = this.#merge.run()
      const { ends, sums } = this.#merge.places()
      const meets = (shared: SharedText | undefined, low: number, high: number): boolean =>
        shared !== undefined && ends.some((at) => from + at >= low && from + at <= high && hasPlace(shared, from + at))
      const isLeftSure = from === 0 || meets(left, from + 1, left?.to ?? 0)
      const isRightSure = to === piece.length || meets(right, right?.from ?? 0, to - 1)
      if (isLeftSure && isRightSure) {
        const whole = from === 0 && to === piece.length
        this.#use(whole ? [lineOf(piece, ends, sums)] : [left?.line, right?.line])
        const rest = to === piece.length ? 0 : sumUpTo(right, -1) - sumUpTo(right, last)
        return { tokens: sumUpTo(left, first) + tokens + rest, firstEnd: (from === 0 ? ends[1] : left?.line.ends[1]) ?? 0 }
      }
      if (!isLeftSure) before *= 8
      if (!isRightSure) after *= 8
    }
  }

  /** Puts counted texts before the others, and forgets those for which there is no room. */
  #use(used: readonly (TokenLine | undefined)[]): void {
    const lines: TokenLine[] = []
    let units = 0
    for (const line of new Set([...used, ...this.#lines])) {
      units += line?.text.length ?? 0
      if (line && lines.length < kept.texts && units <= kept.units) lines.push(line)
    }
    this.#lines = lines
  }
}

/** A run of the same characters has at least so many UTF-16 units, and begins before so many. */
const leastRun = 512
const lastStart = 2048

/** The characters that a run repeats, at most. */
const longestPeriod = 2

/** So many places of a run are tried. */
const triedPlaces = 8

/** The place from which on a piece repeats the same one or two units up to its end; `undefined` if no long run begins early in it. */
function runStart(piece: string): number | undefined {
  for (let period = 1; period <= longestPeriod; period++) {
    const isRun = (start: number): boolean => piece.slice(start, -period) === piece.slice(start + period)
    if (!isRun(Math.max(0, piece.length - leastRun))) continue
    // What differs stands early in the piece, so that few characters are compared where it is no run.
    let [low, high] = [0, 0]
    while (high <= lastStart && !isRun(high)) [low, high] = [high + 1, high * 2 + 1]
    if (high > lastStart || piece.length - high < leastRun) continue
    return low + countWhile(high - low, (at) => !isRun(low + at))
  }
  return undefined
}

/** Copies the text, because a slice would keep the whole text in memory that it was taken from. */
function lineOf(piece: string, ends: readonly number[], sums: readonly number[]): TokenLine {
  return { text: ` ${piece}`.slice(1), ends: Uint32Array.from(ends), sums: Uint32Array.from(sums) }
}

/** The one that shares most. */
function best(lines: readonly TokenLine[], shared: (line: TokenLine) => SharedText): SharedText | undefined {
  let found: SharedText | undefined
  for (const line of lines) {
    const next = shared(line)
    if (next.to - next.from > (found ? found.to - found.from : 0)) found = next
  }
  return found
}

function sharedStart(line: TokenLine, piece: string): SharedText {
  const most = Math.min(line.text.length, piece.length)
  const to = longest(most, (from, end) => line.text.slice(from, end) === piece.slice(from, end))
  return { line, shift: 0, from: 0, to }
}

/** The end that a counted text shares with a piece behind the place `after`. */
function sharedEnd(line: TokenLine, piece: string, after: number): SharedText {
  const most = Math.min(line.text.length, piece.length - after)
  const end = (text: string, from: number, to: number) => text.slice(text.length - to, text.length - from)
  const units = longest(most, (from, to) => end(line.text, from, to) === end(piece, from, to))
  return { line, shift: piece.length - line.text.length, from: piece.length - units, to: piece.length }
}

/** The most units that are the same; 0 if they are too few to be of use. `isSame` compares the units from one number to another. */
function longest(most: number, isSame: (from: number, to: number) => boolean): number {
  if (most < leastShared || !isSame(0, leastShared)) return 0
  if (isSame(leastShared, most)) return most
  let [low, high] = [leastShared, most]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isSame(low, middle)) low = middle
    else high = middle
  }
  return low
}

/** True if a token of the counted text ends at a place of the piece. */
function hasPlace({ line, shift }: SharedText, at: number): boolean {
  return line.ends[countUpTo(line.ends, at - shift) - 1] === at - shift
}

/** The tokens up to the place with an index; -1 is the last one. */
function sumUpTo(shared: SharedText | undefined, index: number): number {
  return shared?.line.sums.at(index) ?? 0
}
