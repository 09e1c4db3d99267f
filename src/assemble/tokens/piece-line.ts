/** Pieces of a text that follow each other from one place on. */
export interface PieceLine {
  readonly from: number
  /** Where each piece ends in the text. */
  readonly ends: number[]
  /** The tokens up to the end of each piece. */
  readonly sums: number[]
}

/** Adds the piece that comes next. */
export function addPiece({ ends, sums }: PieceLine, end: number, tokens: number): void {
  sums.push((sums.at(-1) ?? 0) + tokens)
  ends.push(end)
}

/** Where the first `count` pieces of a line end. */
export function lineEnd({ from, ends }: PieceLine, count: number): number {
  return count === 0 ? from : (ends[count - 1] ?? from)
}

/** Tokens of the first `count` pieces of a line. */
export function lineTokens({ sums }: PieceLine, count: number): number {
  return count === 0 ? 0 : (sums[count - 1] ?? 0)
}

/** The number of the piece of a line that stands between two places; -1 where there is none. */
export function pieceBetween(line: PieceLine, start: number, end: number): number {
  const piece = countUpTo(line.ends, end) - 1
  return piece >= 0 && lineEnd(line, piece + 1) === end && lineEnd(line, piece) === start ? piece : -1
}

/** A line that goes on as another one does from number `from` on. */
export function prepend(line: PieceLine, after: PieceLine, from: number): PieceLine {
  const more = lineTokens(line, line.ends.length) - lineTokens(after, from)
  for (let piece = from; piece < after.ends.length; piece++) {
    line.ends.push(after.ends[piece] ?? 0)
    line.sums.push((after.sums[piece] ?? 0) + more)
  }
  return line
}

/** How many of some ascending numbers are not above a bound. */
export function countUpTo(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= bound) low = middle + 1
    else high = middle
  }
  return low
}
