/** A line of a text that resembles another. */
export interface NearLine {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** Longer lines are compared and shown up to here. */
const maxLineUnits = 300

/** Less in common is no resemblance. */
const leastLikeness = 0.5

/**
 * The line of which some stretch resembles the first line of `wanted` that is not blank the most: by the pairs of neighbouring
 * characters they share, case and white space aside. `undefined` where none has half of them. Linear in the text.
 */
export function nearestLine(text: string, wanted: string): NearLine | undefined {
  const sought = wanted.split("\n").find((line) => line.trim() !== "")
  if (sought === undefined) return undefined
  const pairs = pairsOf(sought)
  let best: NearLine | undefined
  let likeness = leastLikeness
  for (const [index, line] of text.split("\n").entries()) {
    const found = likenessOf(pairs, pairsOf(line))
    if (found < likeness || (found === likeness && best)) continue
    likeness = found
    best = { line: index + 1, text: line.slice(0, maxLineUnits) }
  }
  return best
}

/** Neighbouring characters of a line; a single character is a pair of its own. */
function pairsOf(line: string): readonly string[] {
  const plain = line.slice(0, maxLineUnits).toLowerCase().replace(/\s+/g, "")
  return plain.length < 2 ? [plain] : Array.from({ length: plain.length - 1 }, (_, at) => plain.slice(at, at + 2))
}

/** Twice what both share, of what both have, for the stretch of `line` that is as long as `sought` and shares most: 1 if it is there. */
function likenessOf(sought: readonly string[], line: readonly string[]): number {
  const missing = new Map<string, number>()
  for (const pair of sought) missing.set(pair, (missing.get(pair) ?? 0) + 1)
  let [shared, most] = [0, 0]
  for (const [at, pair] of line.entries()) {
    const left = missing.get(pair)
    if (left !== undefined) {
      if (left > 0) shared += 1
      missing.set(pair, left - 1)
    }
    const gone = line[at - sought.length] ?? ""
    const before = missing.get(gone)
    if (before !== undefined) {
      if (before >= 0) shared -= 1
      missing.set(gone, before + 1)
    }
    most = Math.max(most, shared)
  }
  return (2 * most) / (sought.length + Math.min(sought.length, line.length))
}
