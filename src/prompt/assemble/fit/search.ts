import { countWhile } from "../../../core/binary-search.ts"

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
  /** The smallest number of things with which it loses about `over` tokens more than with the first `count`. */
  next(count: number, over: number): number
  /** The tokens that it loses at least with thing number `index`; 0 if nothing is known. */
  atLeast(index: number): number
}

/**
 * Finds how many things have to go, in their order, until `excess` is not positive: with one thing fewer it is positive.
 * `undefined` if all of them are not enough. `excess` is exact; the gains only say which counts to try, so that a few calls are
 * enough. The search begins with the count `first`.
 */
export function fewestGone(gains: Gains, first: number, excess: (count: number) => number): number | undefined {
  let tooFew = 0
  let enough: number | undefined
  let count = first
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
    count = tries > 6 ? (tooFew + (enough ?? gains.length) + 1) >> 1 : gains.next(count, over)
  }
}

/** Gains of things with known tokens. */
export function gainsOf(tokens: readonly number[]): Gains & { upTo(count: number): number } {
  const sums = [0]
  for (const count of tokens) sums.push((sums.at(-1) ?? 0) + count)
  const upTo = (count: number): number => sums[count] ?? 0
  const { length } = tokens
  return { length, upTo, next: (count, over) => firstWith(length, (at) => upTo(at) >= upTo(count) + over), atLeast: () => 0 }
}

/** The smallest number up to `most` that passes, if all above one that passes do too; `most` if none passes. */
export function firstWith(most: number, passes: (count: number) => boolean): number {
  return countWhile(most, (count) => !passes(count))
}
