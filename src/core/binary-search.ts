/** The number of places from 0 on for which `holds` is true, below `length`. It must be true up to a place, and false from there on. */
export function countWhile(length: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** The number of an ascending list's members that are not above a bound. */
export function countUpTo(members: ArrayLike<number>, bound: number): number {
  return countWhile(members.length, (at) => (members[at] ?? 0) <= bound)
}
