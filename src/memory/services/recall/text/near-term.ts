/** A shorter word is too often another word with one letter changed. */
const minCharacters = 5

/**
 * True if one letter too many, too few, another one, or two that changed places make one word of the other (Damerau 1964: most
 * misspellings are one of these). Both have at least five letters and begin alike; words with digits differ on purpose.
 */
export function isNearTerm(a: string, b: string): boolean {
  if (a.length < minCharacters || b.length < minCharacters || Math.abs(a.length - b.length) > 1) return false
  if (a.charCodeAt(0) !== b.charCodeAt(0) || a === b || /\d/.test(a)) return false
  let start = 0
  while (start < a.length && a.charCodeAt(start) === b.charCodeAt(start)) start++
  let [endOfA, endOfB] = [a.length, b.length]
  while (endOfA > start && endOfB > start && a.charCodeAt(endOfA - 1) === b.charCodeAt(endOfB - 1)) {
    endOfA--
    endOfB--
  }
  const [left, right] = [a.slice(start, endOfA), b.slice(start, endOfB)]
  if (left.length <= 1 && right.length <= 1) return true
  return left.length === 2 && right.length === 2 && left.charAt(0) === right.charAt(1) && left.charAt(1) === right.charAt(0)
}
