import type { Work } from "./piece-merge.ts"
import type { RankTable } from "./rank-table.ts"
import { TextMerge } from "./text-merge.ts"

/** A counted text: the places between its characters at which a token ends, and the tokens up to each. The first place is 0. */
interface TokenLine {
  readonly text: string
  readonly ends: Uint32Array
  readonly sums: Uint32Array
}

/** A counted text that a piece begins or ends with. Its place `at` is the piece's place `at + shift`. */
interface Shared {
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

  constructor(table: RankTable, work: Work) {
    this.#merge = new TextMerge(table, work)
  }

  /** The tokens of a well-formed piece. */
  count(piece: string): number {
    const left = best(this.#lines, (line) => sharedStart(line, piece))
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
      const meets = (shared: Shared | undefined, low: number, high: number): boolean =>
        shared !== undefined && ends.some((at) => from + at >= low && from + at <= high && hasPlace(shared, from + at))
      const isLeftSure = from === 0 || meets(left, from + 1, left?.to ?? 0)
      const isRightSure = to === piece.length || meets(right, right?.from ?? 0, to - 1)
      if (isLeftSure && isRightSure) {
        const whole = from === 0 && to === piece.length
        this.#use(whole ? [lineOf(piece, ends, sums)] : [left?.line, right?.line])
        return sumUpTo(left, first) + tokens + (to === piece.length ? 0 : sumUpTo(right, -1) - sumUpTo(right, last))
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

/** Copies the text, because a slice would keep the whole text in memory that it was taken from. */
function lineOf(piece: string, ends: readonly number[], sums: readonly number[]): TokenLine {
  return { text: ` ${piece}`.slice(1), ends: Uint32Array.from(ends), sums: Uint32Array.from(sums) }
}

/** The one that shares most. */
function best(lines: readonly TokenLine[], shared: (line: TokenLine) => Shared): Shared | undefined {
  let found: Shared | undefined
  for (const line of lines) {
    const next = shared(line)
    if (next.to - next.from > (found ? found.to - found.from : 0)) found = next
  }
  return found
}

function sharedStart(line: TokenLine, piece: string): Shared {
  const most = Math.min(line.text.length, piece.length)
  const to = longest(most, (from, end) => line.text.slice(from, end) === piece.slice(from, end))
  return { line, shift: 0, from: 0, to }
}

/** The end that a counted text shares with a piece behind the place `after`. */
function sharedEnd(line: TokenLine, piece: string, after: number): Shared {
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
function hasPlace({ line, shift }: Shared, at: number): boolean {
  return line.ends[countUpTo(line.ends, at - shift) - 1] === at - shift
}

/** The tokens up to the place with an index; -1 is the last one. */
function sumUpTo(shared: Shared | undefined, index: number): number {
  return shared?.line.sums.at(index) ?? 0
}

/** Counts the places of a line up to an offset. */
function countUpTo(ends: Uint32Array, offset: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}
