import { closestMatch } from "leven"

/** No name is longer: what is longer was never mistyped, and comparing it would take long. */
const maxLength = 100

/** The candidate a reader probably meant, or `undefined` when none is near. */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > maxLength) return undefined
  // Two letters in the wrong order are two changes; a word of one letter has nothing in common with another one.
  const maxDistance = word.length < 2 ? 0 : Math.floor((word.length + 2) / 3)
  return closestMatch(word, candidates, { maxDistance })
}

/** ` Did you mean "x"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const match = suggest(word, candidates)
  return match === undefined ? "" : ` Did you mean ${JSON.stringify(match)}?`
}
