import { decodeText } from "../workspace/text-bytes.ts"
import { takeShape } from "../workspace/text-shape.ts"

/** Lines of a text file, or how many it has where it does not have these. */
export type PickedLines = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly totalLines: number }

/** The lines `from` to `to` of a file, counted from 1 as the tool `read` counts them. Throws `file-encoding` for what is no text. */
export function pickLines(
  bytes: Uint8Array,
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): PickedLines {
  const { plain } = takeShape(decodeText(bytes, path))
  const lines = plain.split("\n")
  if (lines.length > 1 && lines.at(-1) === "") lines.pop()
  if (from < 1 || to < from || to > lines.length) return { ok: false, totalLines: lines.length }
  return { ok: true, bytes: new TextEncoder().encode(lines.slice(from - 1, to).join("\n")) }
}
