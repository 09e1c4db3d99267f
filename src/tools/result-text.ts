import { graphemeBoundaryAfter, graphemeBoundaryBefore } from "../core/graphemes.ts"
import { isSchema as isRecord } from "./json-schema.ts"
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

/** The shares of the limit that stay. The rest is room for the notice. */
const headShare = 0.7
const tailShare = 0.2

/** The limit of a result when the tool sets none, in code points. */
export const defaultMaxResultCharacters = 20_000

/**
 * Cuts the middle out of a text of more than `maxCharacters` code points. The first 70 % and the last 20 % of that number
 * stay, with the notice between them. Cuts fall between graphemes, so slightly less may stay.
 */
export function capResult(text: string, maxCharacters: number, notice: CapNotice): CappedText {
  if (text.length <= maxCharacters) return { text }
  const total = countCodePoints(text, 0, text.length)
  if (total <= maxCharacters) return { text }
  const headEnd = graphemeBoundaryBefore(text, offsetAfterFirst(text, Math.floor(maxCharacters * headShare)))
  const tailStart = graphemeBoundaryAfter(text, offsetBeforeLast(text, Math.floor(maxCharacters * tailShare)))
  const kept = countCodePoints(text, 0, headEnd) + countCodePoints(text, tailStart, text.length)
  return { text: text.slice(0, headEnd) + notice(kept, total) + text.slice(tailStart), cappedFromCharacters: total }
}

function countCodePoints(text: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at += widthAt(text, at)) count++
  return count
}

function offsetAfterFirst(text: string, count: number): number {
  let at = 0
  for (let seen = 0; seen < count; seen++) at += widthAt(text, at)
  return at
}

function offsetBeforeLast(text: string, count: number): number {
  let at = text.length
  for (let seen = 0; seen < count; seen++) at -= at > 1 && widthAt(text, at - 2) === 2 ? 2 : 1
  return at
}

function widthAt(text: string, offset: number): 1 | 2 {
  return (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1
}
