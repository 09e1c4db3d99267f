/** What a search for the least to give up knows of each thing that can go. */
export interface Gains {
  /** How many things there are. */
  readonly length: number
  /** About how many tokens the request loses with the first `count` of them. */
  upTo(count: number): number
  /** How many it loses at the very least with number `index`; 0 where nothing is known. */
  atLeast(index: number): number
}

/**
 * How many things have to go, the first ones first, until nothing exceeds: the fewest with which `excess` is not positive and
 * with one fewer is; `undefined` where all of them are not enough. `excess` is asked for exactly; the gains only say where to
 * ask, so that a few questions are enough. With none gone it is known to exceed by about `first`.
 */
export function fewestGone(gains: Gains, first: number, excess: (count: number) => number): number | undefined {
  let tooFew = 0
  let enough: number | undefined
  let count = nextCount(gains, 0, first)
  for (let tries = 0; ; tries++) {
    count = Math.min(Math.max(count, tooFew + 1), enough === undefined ? gains.length : enough - 1)
    if (count <= tooFew) return enough
    const over = excess(count)
    if (over > 0) tooFew = count
    else {
      enough = count
      if (over + gains.atLeast(count - 1) > 0) return count
    }
    if (enough !== undefined && enough - tooFew <= 1) return enough
    if (tooFew >= gains.length) return undefined
    count = tries > 6 ? (tooFew + (enough ?? gains.length) + 1) >> 1 : nextCount(gains, count, over)
  }
}

/** Where the gains reach what is over, counted from `count`: the first place for more, the last one for less. */
function nextCount(gains: Gains, count: number, over: number): number {
  const target = gains.upTo(count) + over
  let [low, high] = [0, gains.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (gains.upTo(middle) >= target) high = middle
    else low = middle + 1
  }
  return low
}

/** Gains of things whose tokens are known one by one. */
export function gainsOf(tokens: readonly number[], least: readonly number[] = []): Gains {
  const sums = [0]
  for (const count of tokens) sums.push((sums.at(-1) ?? 0) + count)
  return {
    length: tokens.length,
    upTo: (count) => sums[count] ?? 0,
    atLeast: (index) => least[index] ?? 0,
  }
}
