const highSurrogate = /[\ud800-\udbff]/

/** How many code points a text has; a half pair is one. */
export function countCodePoints(text: string): number {
  // Most texts have no pair, and finding that out is far cheaper than counting.
  const first = text.search(highSurrogate)
  if (first < 0) return text.length
  let count = first
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const isSecond = unit >= 0xdc00 && unit <= 0xdfff && at > 0 && highSurrogate.test(text.charAt(at - 1))
    if (!isSecond) count++
  }
  return count
}
