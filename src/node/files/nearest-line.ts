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
 * The line that resembles the first line of `wanted` that is not blank the most: by the pairs of neighbouring characters they
 * share, case and white space aside. `undefined` where none has half of them. Linear in the text.
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

/** Neighbouring characters of a line, each pair with how often it stands there; a single character is a pair of its own. */
function pairsOf(line: string): ReadonlyMap<string, number> {
  const plain = line.slice(0, maxLineUnits).toLowerCase().replace(/\s+/g, "")
  const pairs = new Map<string, number>()
  for (let at = 0; at < Math.max(1, plain.length - 1); at++) {
    const pair = plain.slice(at, at + 2)
    if (pair !== "") pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

/** Twice what both share, of what both have: 1 for equal lines. */
function likenessOf(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let shared = 0
  for (const [pair, count] of other) shared += Math.min(count, one.get(pair) ?? 0)
  const all = sum(one) + sum(other)
  return all === 0 ? 0 : (2 * shared) / all
}

function sum(pairs: ReadonlyMap<string, number>): number {
  let total = 0
  for (const count of pairs.values()) total += count
  return total
}
