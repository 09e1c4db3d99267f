import type { ModelPart } from "../../model/model-part.ts"
import { mapTexts } from "./map-texts.ts"
import type { FindSecrets } from "./secret-ranges.ts"

const replacement = "[secret]"

/** A text with its secrets taken out. */
export function redactText(text: string, find: FindSecrets): string {
  return redactPieces([text], find).join("")
}

/** Pieces of one text, as many as before; a secret that spans several stands as `[secret]` in the first of them. */
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

/** The parts of a stream, as many as before, with their secrets taken out, also those that come in several deltas. */
export function redactParts(parts: readonly ModelPart[], find: FindSecrets): readonly ModelPart[] {
  const deltas = {
    "text-delta": redactDeltas(parts, "text-delta", find),
    "reasoning-delta": redactDeltas(parts, "reasoning-delta", find),
  }
  return parts.map((part) => {
    if ("delta" in part) return { type: part.type, delta: deltas[part.type].shift() ?? "" }
    return { ...(mapTexts(part, (text) => redactText(text, find)) as ModelPart), type: part.type } as ModelPart
  })
}

function redactDeltas(parts: readonly ModelPart[], type: "text-delta" | "reasoning-delta", find: FindSecrets): string[] {
  return [
    ...redactPieces(
      parts.flatMap((part) => (part.type === type ? [part.delta] : [])),
      find,
    ),
  ]
}
