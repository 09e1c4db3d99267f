/** Units in which platforms count a message: UTF-16 units, code points, or bytes of UTF-8. */
export type MessageUnit = "utf16" | "code-points" | "bytes"

/** The size of a text. */
export function messageSize(text: string, unit: MessageUnit): number {
  return unit === "utf16" ? text.length : fitted(text, Number.POSITIVE_INFINITY, unit).size
}

/** The most UTF-16 units of a text that fit into `room`; no surrogate pair is cut. */
export function fittingEnd(text: string, room: number, unit: MessageUnit): number {
  if (unit !== "utf16") return fitted(text, room, unit).end
  const end = Math.max(0, Math.min(text.length, room))
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end
}

function fitted(text: string, room: number, unit: MessageUnit): { readonly end: number; readonly size: number } {
  let [end, size] = [0, 0]
  while (end < text.length) {
    const code = text.codePointAt(end) ?? 0
    const grown = size + (unit === "bytes" ? bytesOf(code) : 1)
    if (grown > room) break
    size = grown
    end += code > 0xffff ? 2 : 1
  }
  return { end, size }
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x1_0000 ? 3 : 4
}
