import type { Message, MessagePart } from "../core/span.ts"

/** A message's text and its pictures and files, in order. No text is blank, because providers refuse blank parts. */
export function piecesOf(content: string, parts: Message["parts"] = []): (string | MessagePart)[] {
  const pieces: (string | MessagePart)[] = []
  let from = 0
  const text = (end: number) => {
    const piece = content.slice(from, end).toWellFormed()
    if (piece.trim() !== "") pieces.push(piece)
    from = end
  }
  for (const part of parts) {
    if (part.end > from) text(part.end)
    pieces.push(part)
  }
  text(content.length)
  return pieces
}
