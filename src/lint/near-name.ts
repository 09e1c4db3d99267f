import leven from "leven"

/** The shortest names are one letter from each other too easily, and no name is as long as the longest. */
const [leastLength, maxLength] = [4, 100]

/** The candidate that is one letter away from a name: added, left out or changed. */
export function oneLetterFrom(name: string, candidates: readonly string[]): string | undefined {
  if (name.length < leastLength || name.length > maxLength) return undefined
  return candidates.find((candidate) => leven(name, candidate, { maxDistance: 2 }) === 1)
}
