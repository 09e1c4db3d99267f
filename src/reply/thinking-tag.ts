const tags: readonly (readonly [string, "open" | "close"])[] = [
  ["<think>", "open"],
  ["</think>", "close"],
  ["<thinking>", "open"],
  ["</thinking>", "close"],
]
const whole = new Map(tags)
const partial = new Set(tags.flatMap(([tag]) => Array.from(tag, (_, length) => tag.slice(0, length))))

/**
 * What `text` is of a thinking tag (T22), in any case of ASCII letters: a whole one, the beginning of one, or `none`.
 * No beginning is longer than ten characters.
 */
export function matchThinkingTag(text: string): "open" | "close" | "partial" | "none" {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return whole.get(folded) ?? (partial.has(folded) ? "partial" : "none")
}
