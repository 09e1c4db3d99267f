/** How many code points a text has; a lone surrogate is one. */
export function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0xdc00 && unit <= 0xdfff && isHighSurrogate(text.charCodeAt(at - 1))) count--
  }
  return count
}

/** The UTF-16 offset behind the first `count` code points, or the text's end. */
export function offsetAfter(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count && at < text.length; seen++) at += widthAt(text, at)
  return at
}

/** The UTF-16 offset before the last `count` code points, or 0. */
export function offsetBefore(text: string, count: number): number {
  let at = text.length
  for (let seen = 0; seen < count && at > 0; seen++) at -= at > 1 && widthAt(text, at - 2) === 2 ? 2 : 1
  return at
}

function widthAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
