/** Where a search begins, and between which sizes it stays. */
interface SizeRange {
  readonly least: number
  readonly most: number
  /** A size that may come near; the search asks there first. */
  readonly guess: number
}

/**
 * The largest size in a range with which `excess` is not positive, else the least; where `excess` falls again further up it
 * may be missed. `excess` grows about evenly with the size, so that a dozen questions are enough for any range.
 */
export function largestSize({ least, most, guess }: SizeRange, excess: (size: number) => number): number {
  if (least >= most) return least
  let fits: Probe | undefined
  let exceeds: Probe | undefined
  for (let size = Math.min(Math.max(guess, least), most), tries = 0; ; tries++) {
    const probe = { size, over: excess(size) }
    if (probe.over > 0) exceeds = probe
    else fits = probe
    if (exceeds === undefined && probe.size === most) return most
    if (fits === undefined && probe.size === least) return least
    if (fits && exceeds && exceeds.size - fits.size <= 1) return fits.size
    const [low, high] = [fits ? fits.size + 1 : least, exceeds ? exceeds.size - 1 : most]
    size = Math.min(Math.max(nextSize(fits, exceeds, { low, high, tries }), low), high)
  }
}

interface Probe {
  readonly size: number
  readonly over: number
}

const unitsPerToken = 6

function nextSize(
  fits: Probe | undefined,
  exceeds: Probe | undefined,
  { low, high, tries }: { readonly low: number; readonly high: number; readonly tries: number },
): number {
  // A token is seldom more than some units; where it is, the steps double.
  const stride = (over: number) => (Math.abs(over) * unitsPerToken + unitsPerToken) * 2 ** Math.min(tries, 40)
  if (!fits) return exceeds ? exceeds.size - stride(exceeds.over) : low
  if (!exceeds) return fits.size + stride(fits.over)
  // Now and then a question halves the range, so that an uneven text takes no more than its logarithm.
  if (tries % 4 === 3) return (low + high + 1) >> 1
  const share = -fits.over / (exceeds.over - fits.over)
  return Math.round(fits.size + share * (exceeds.size - fits.size))
}

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
