import type { FindSecrets } from "./find-secrets.ts"

const replacement = "[secret]"

/** Replaces the secrets in a text by `[secret]`. */
export function redactText(text: string, find: FindSecrets): string {
  return redactPieces([text], find).join("")
}

/** Replaces the secrets in the pieces of one text; their number stays. A secret across pieces is replaced in the first of them. */
export function redactPieces(pieces: readonly string[], find: FindSecrets): readonly string[] {
  const ranges = find(pieces.join(""))
  if (ranges.length === 0) return pieces
  let offset = 0
  let next = 0
  return pieces.map((piece) => {
    const end = offset + piece.length
    let kept = ""
    let at = offset
    for (; next < ranges.length; next++) {
      const [from, to] = ranges[next] ?? [end, end]
      if (from >= end) break
      kept += piece.slice(at - offset, Math.max(0, from - offset)) + (from >= offset ? replacement : "")
      at = Math.min(to, end)
      if (to > end) break
    }
    kept += piece.slice(at - offset)
    offset = end
    return kept
  })
}

/** Replaces the secrets in every text of a value, as {@link mapTexts} finds them. */
export function redacted<T>(value: T, find: FindSecrets): T {
  return mapTexts(value, (text) => redactText(text, find)) as T
}

/** Changes every text in JSON data, also the names of properties. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]))
}
