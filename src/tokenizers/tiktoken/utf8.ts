/** Writes the UTF-8 bytes of a well-formed text from `from` to `to` into `bytes`; returns how many. `bytes` has room for three a unit. */
export function writeUtf8(text: string, from: number, to: number, bytes: Uint8Array): number {
  let end = 0
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) {
      bytes[end++] = unit
      continue
    }
    if (unit < 0x800) {
      bytes[end++] = 0xc0 | (unit >> 6)
    } else {
      const codePoint = text.codePointAt(at) ?? 0
      if (codePoint < 0x10000) {
        bytes[end++] = 0xe0 | (codePoint >> 12)
      } else {
        at++
        bytes[end++] = 0xf0 | (codePoint >> 18)
        bytes[end++] = 0x80 | ((codePoint >> 12) & 0x3f)
      }
      bytes[end++] = 0x80 | ((codePoint >> 6) & 0x3f)
    }
    bytes[end++] = 0x80 | (text.charCodeAt(at) & 0x3f)
  }
  return end
}
