const byteOrderMark = "\uFEFF"

/** How a text is laid out, apart from what it says. `mixed` has line ends of several kinds, which are left alone. */
export interface TextShape {
  readonly byteOrderMark: boolean
  readonly lineEnd: "\n" | "\r\n" | "mixed"
}

/** Takes a text's shape off: no byte order mark, and `\n` for `\r\n` where all its lines end so. */
export function takeShape(text: string): { readonly plain: string; readonly shape: TextShape } {
  const marked = text.startsWith(byteOrderMark)
  const body = marked ? text.slice(1) : text
  const lineEnd = lineEndOf(body)
  return {
    plain: lineEnd === "\r\n" ? body.replaceAll("\r\n", "\n") : body,
    shape: { byteOrderMark: marked, lineEnd },
  }
}

/** Puts a shape on again: what {@link takeShape} gave comes back exactly, and new lines end like the others. */
export function giveShape(plain: string, { byteOrderMark: marked, lineEnd }: TextShape): string {
  const body = lineEnd === "\r\n" ? plain.replace(/\r?\n/g, "\r\n") : plain
  return marked ? byteOrderMark + body : body
}

function lineEndOf(text: string): TextShape["lineEnd"] {
  const returns = text.split("\r").length - 1
  if (returns === 0) return "\n"
  const pairs = text.split("\r\n").length - 1
  const feeds = text.split("\n").length - 1
  return pairs === returns && pairs === feeds ? "\r\n" : "mixed"
}
