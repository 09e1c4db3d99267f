/** The `count` best of a list, best first, equals in the list's order: one pass, a comparison for most of what is not among them. */
export function topOf<T>(items: readonly T[], count: number, scoreOf: (item: T) => number | undefined): T[] {
  if (count <= 0) return []
  const best: T[] = []
  const scores: number[] = []
  for (const item of items) {
    const score = scoreOf(item)
    if (score === undefined) continue
    if (best.length === count && score <= (scores[count - 1] ?? 0)) continue
    const at = placeOf(scores, score)
    best.splice(at, 0, item)
    scores.splice(at, 0, score)
    if (best.length > count) {
      best.pop()
      scores.pop()
    }
  }
  return best
}

/** Behind all that score as well or better. */
function placeOf(scores: readonly number[], score: number): number {
  let [low, high] = [0, scores.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((scores[middle] ?? 0) >= score) low = middle + 1
    else high = middle
  }
  return low
}
