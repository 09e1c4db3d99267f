/** An authored text as the parsers read it: no byte order mark, `\n` for `\r\n` and for `\r`. */
export function normalizeText(text: string): string {
  const unmarked = text.startsWith("\uFEFF") ? text.slice(1) : text
  return unmarked.includes("\r") ? unmarked.replaceAll(/\r\n?/g, "\n") : unmarked
}
