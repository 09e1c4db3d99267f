const highSurrogate = /[\ud800-\udbff]/

/** Counts the code points of a text. Half a surrogate pair counts as one. */
export function countCodePoints(text: string): number {
  // Most texts have no surrogate pair, and to find that out is far cheaper than to count.
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

/** The UTF-16 offset after the first `count` code points, or the text's end. */
export function offsetAfter(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count && at < text.length; seen++) at += widthAt(text, at)
  return at
}

/** How many UTF-16 units the code point at an offset has. */
export function widthAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}
