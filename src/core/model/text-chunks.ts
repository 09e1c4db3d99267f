/** Cuts a text into pieces of `size` UTF-16 units, as a model streams it; one unit more if that keeps a surrogate pair whole. */
export function textChunks(text: string, size: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + Math.max(1, size)
    const whole = (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end
    pieces.push(text.slice(at, whole))
    at = whole
  }
  return pieces
}
