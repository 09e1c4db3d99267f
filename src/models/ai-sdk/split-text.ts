/** A piece of a message's text. */
export interface TextPiece {
  text: string
  /** True when it ends where a cut was asked for. */
  endsAtCut: boolean
}

/**
 * A text parted at ascending offsets; joined, the pieces are the text. No piece is blank, since providers refuse those, and
 * none ends in half a character: such a cut moves back, or goes where there is nothing before it.
 */
export function splitText(text: string, cuts: readonly number[]): TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  for (const asked of cuts) {
    const cut = isInsideCharacter(text, asked) ? asked - 1 : asked
    const head = text.slice(from, cut)
    const last = pieces.at(-1)
    if (head.trim() !== "") {
      pieces.push({ text: head, endsAtCut: true })
      from = cut
    } else if (last) last.endsAtCut = true
  }
  const rest = text.slice(from)
  const last = pieces.at(-1)
  if (last && rest.trim() === "") last.text += rest
  else pieces.push({ text: rest, endsAtCut: false })
  return pieces
}

function isInsideCharacter(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff
}
