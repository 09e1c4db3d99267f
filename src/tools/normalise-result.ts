import { printJson } from "./print-json.ts"

/**
 * Any returned value as text; never throws. A string stands as it is, `undefined` and `null` are `""`, an MCP-style
 * `{ content: [{ type: "text", text }, …] }` is its parts joined by newlines, everything else is JSON (see `printJson`).
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

interface ContentPart {
  readonly type: string
  readonly [key: string]: unknown
}

/** The parts of an MCP-style result; structured content alone, without parts, is a value like any other. */
function contentParts(value: unknown): readonly ContentPart[] | undefined {
  if (!isRecord(value) || !Array.isArray(value.content) || !value.content.every(isContentPart)) return undefined
  return value.content.length === 0 && value.structuredContent !== undefined ? undefined : value.content
}

/** Text parts and embedded text resources are their text; binary parts are described without their data. */
function partText(part: ContentPart): string {
  if (part.type === "text" && typeof part.text === "string") return part.text
  if (part.type === "resource" && isRecord(part.resource) && typeof part.resource.text === "string") return part.resource.text
  return printJson(withoutData(part))
}

function withoutData(part: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const described = Object.entries(part).filter(([key]) => key !== "data" && key !== "blob")
  return Object.fromEntries(described.map(([key, value]) => [key, isRecord(value) ? withoutData(value) : value]))
}

function isContentPart(value: unknown): value is ContentPart {
  return isRecord(value) && typeof value.type === "string"
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
