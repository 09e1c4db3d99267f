/** Where a search begins, and between which sizes it stays. */
export interface SizeRange {
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
