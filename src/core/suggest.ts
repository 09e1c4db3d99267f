import leven from "leven"

/** A longer word is no mistyped name, and to compare it would take long. */
const maxLength = 100

/** The candidate that the writer probably meant, or `undefined` if none is near. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > maxLength) return undefined
  // Two swapped letters are two changes. For a word of one letter, any change makes a different word.
  const maxDistance = word.length < 2 ? 0 : Math.floor((word.length + 2) / 3)
  let [best, bestDistance]: [string | undefined, number] = [undefined, maxDistance + 1]
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = leven(word, candidate)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** ` Did you mean "x"?` with a space before it, or an empty string. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const match = suggest(word, candidates)
  return match === undefined ? "" : ` Did you mean ${JSON.stringify(match)}?`
}
