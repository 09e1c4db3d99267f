import { isRecord } from "../../core/json-access.ts"
import { endsOf } from "../encode/text-ends.ts"
import { printJson } from "./print-json.ts"

/**
 * Turns any returned value into text. A string stays as it is, `undefined` and `null` become `""`, the parts of an MCP-style
 * `{ content: [{ type: "text", text }, …] }` are joined by newlines, everything else is JSON (see `printJson`). Never throws.
 */
export function normaliseResult(value: unknown): string {
  if (typeof value === "string") return value
  if (value === undefined || value === null || typeof value === "function") return ""
  if (typeof value === "symbol") return String(value)
  try {
    const parts = contentParts(value)
    return parts === undefined ? printJson(value) : parts.map(partText).join("\n")
  } catch {
    return printJson(value)
  }
}

type ContentPart = Readonly<Record<string, unknown>>

/** Returns the parts of an MCP-style result. Structured content without parts is treated as any other value. */
function contentParts(value: unknown): readonly ContentPart[] | undefined {
  if (!isRecord(value) || !Array.isArray(value.content)) return undefined
  if (!value.content.every((part) => isRecord(part) && typeof part.type === "string")) return undefined
  return value.content.length === 0 && value.structuredContent !== undefined ? undefined : value.content
}

/** A binary part is described without its data. */
function partText(part: ContentPart): string {
  if (part.type === "text" && typeof part.text === "string") return part.text
  if (part.type === "resource" && isRecord(part.resource) && typeof part.resource.text === "string") return part.resource.text
  return printJson(withoutData(part))
}

function withoutData(part: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const described = Object.entries(part).filter(([key]) => key !== "data" && key !== "blob")
  return Object.fromEntries(described.map(([key, value]) => [key, isRecord(value) ? withoutData(value) : value]))
}

/** Makes the visible notice that replaces the cut middle of a text. Both counts are in code points. */
export type CapNotice = (kept: number, total: number) => string

/** A text within its limit. `cappedFromCharacters` is the length before the cut, in code points; absent when nothing was cut. */
interface CappedText {
  readonly text: string
  readonly cappedFromCharacters?: number
}

/** The limit of a result when the tool sets none, in code points. */
export const defaultMaxResultCharacters = 20_000

/**
 * Cuts the middle out of a text of more than `maxCharacters` code points. The first 70 % and the last 20 % of that number
 * stay, with the notice between them. Cuts fall between graphemes, so slightly less may stay.
 */
export function capResult(text: string, maxCharacters: number, notice: CapNotice): CappedText {
  const ends = text.length <= maxCharacters ? undefined : endsOf(text, maxCharacters)
  if (ends === undefined) return { text }
  const { head, tail, keptHead, keptTail, total } = ends
  return { text: head + notice(keptHead + keptTail, total) + tail, cappedFromCharacters: total }
}
