/** The bounds of a search, and where it begins. */
interface SizeRange {
  readonly least: number
  readonly most: number
  /** The size that the search tries first. */
  readonly guess: number
}

/**
 * Finds the largest size in a range for which `excess` is not positive, else gives the least size. If `excess` falls again for
 * larger sizes, a larger solution may be missed. `excess` grows about evenly with the size, so about a dozen calls are enough.
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

/** A token seldom spans more UTF-16 units. Where tokens are longer, the doubling steps make up for it. */
const unitsPerToken = 6

function nextSize(
  fits: Probe | undefined,
  exceeds: Probe | undefined,
  { low, high, tries }: { readonly low: number; readonly high: number; readonly tries: number },
): number {
  const stride = (over: number) => (Math.abs(over) * unitsPerToken + unitsPerToken) * 2 ** Math.min(tries, 40)
  if (!fits) return exceeds ? exceeds.size - stride(exceeds.over) : low
  if (!exceeds) return fits.size + stride(fits.over)
  // Every fourth try halves the range, so that an uneven text takes no more tries than a binary search.
  if (tries % 4 === 3) return (low + high + 1) >> 1
  const share = -fits.over / (exceeds.over - fits.over)
  return Math.round(fits.size + share * (exceeds.size - fits.size))
}

/** Estimates of what a request loses with each thing that can be dropped. */
export interface Gains {
  /** The number of things. */
  readonly length: number
  /** About the tokens that the request loses with the first `count` things. */
  upTo(count: number): number
  /** The tokens that it loses at least with thing number `index`; 0 if nothing is known. */
  atLeast(index: number): number
}

/**
 * Finds how many things have to go, in their order, until `excess` is not positive: with one thing fewer it is positive.
 * `undefined` if all of them are not enough. `excess` is exact; the gains only say which counts to try, so that a few calls are
 * enough. With nothing dropped, the excess is about `first`.
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

/** The smallest count whose gains reach those of `count` plus `over`. */
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

/** Gains of things with known tokens. */
export function gainsOf(tokens: readonly number[], least: readonly number[] = []): Gains {
  const sums = [0]
  for (const count of tokens) sums.push((sums.at(-1) ?? 0) + count)
  return {
    length: tokens.length,
    upTo: (count) => sums[count] ?? 0,
    atLeast: (index) => least[index] ?? 0,
  }
}
