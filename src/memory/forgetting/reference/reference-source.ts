import { parsedJson } from "../../../core/json-access.ts"
import { escapeUnits } from "../../../prompt/encode/inline.ts"

/** How much a compression leaves. */
export const compressionLevels = ["weak", "medium", "extreme"] as const
export type CompressionLevel = (typeof compressionLevels)[number]

/** The criterion by which a compression chooses. The weights are of fit, newness and use. */
export type CompressionCriterion =
  | keyof typeof criterionNames
  | { readonly weights: readonly [match: number, recency: number, use: number] }

/** A source of a piece of reference info (R23). Lines and messages count from 1; `to` is not before `from`. */
export type ReferenceSource =
  | { readonly kind: "lines"; readonly query: string; readonly path: string; readonly from: number; readonly to: number }
  | { readonly kind: "image"; readonly path: string }
  | { readonly kind: "load"; readonly path: string }
  | { readonly kind: "unknown" }
  | {
      readonly kind: "compressed"
      readonly level: CompressionLevel
      readonly topic: string
      readonly criterion: CompressionCriterion
      readonly count: number
      /** The path of the session's file, without `.session`. */
      readonly path: string
      readonly from: number
      readonly to: number
    }

/** The printed names of the criteria. */
export const criterionNames = {
  "best-match": "最符合",
  "worst-match": "最不符合",
  newest: "最近",
  oldest: "最老",
  "most-used": "最常用",
  "least-used": "最不常用",
} as const

/** Stands before weights. */
const ownWeights = "自定义权重:"

/** Prints a source as reference info shows it (R23). {@link parseReferenceSource} is the inverse. */
export function formatReferenceSource(source: ReferenceSource): string {
  switch (source.kind) {
    case "lines":
      return `RAG ${quoted(source.query)} - ${path(source.path)} line${source.from} ~ line${source.to}`
    case "image":
      return `read_IMG(Search ${path(source.path)})`
    case "load":
      return `load ${path(source.path)}`
    case "unknown":
      return "unknown source"
    case "compressed": {
      const { level, topic, criterion, count, from, to } = source
      const how = typeof criterion === "string" ? criterionNames[criterion] : `${ownWeights}'${criterion.weights.join(" ")}'`
      return `compress ${level} about ${quoted(topic)} ${how} ${count} - ${path(source.path)}.session message ${from} - ${to}`
    }
  }
}

/** The text between single quotes, on one line. */
function quoted(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escapeBreaks(inside)}'`
}

/** The text as it is; as JSON if it has line breaks or begins with a quotation mark. */
function path(text: string): string {
  const isPlain = JSON.stringify(text).length === text.length + 2 + text.replaceAll(/[^"\\]/g, "").length
  return isPlain && !text.startsWith('"') && escapeBreaks(text) === text ? text : escapeBreaks(JSON.stringify(text))
}

/** Escapes the line breaks that JSON leaves as they are. */
function escapeBreaks(text: string): string {
  return text.replaceAll(/[\u0085\u2028\u2029]/g, escapeUnits)
}

/** Reads a source that {@link formatReferenceSource} printed; `undefined` for any other text, and for a range that ends before it begins. */
export function parseReferenceSource(text: string): ReferenceSource | undefined {
  if (text === "unknown source") return { kind: "unknown" }
  if (text.startsWith("RAG ")) return readLines(text.slice(4))
  if (text.startsWith("load ")) return withPath("load", text.slice(5))
  if (text.startsWith("read_IMG(Search ") && text.endsWith(")")) return withPath("image", text.slice(16, -1))
  if (text.startsWith("compress ")) return readCompressed(text.slice(9))
  return undefined
}

function withPath(kind: "load" | "image", text: string): ReferenceSource | undefined {
  const path = readPath(text)
  return path === undefined ? undefined : { kind, path }
}

function readLines(text: string): ReferenceSource | undefined {
  const query = readQuoted(text)
  if (query === undefined || !query.rest.startsWith(" - ")) return undefined
  const place = readTail(query.rest.slice(3), / line(\d{1,15}) ~ line(\d{1,15})$/)
  return place && { kind: "lines", query: query.value, ...place }
}

function readCompressed(text: string): ReferenceSource | undefined {
  const level = compressionLevels.find((name) => text.startsWith(`${name} about `))
  if (level === undefined) return undefined
  const topic = readQuoted(text.slice(level.length + " about ".length))
  if (topic === undefined || !topic.rest.startsWith(" ")) return undefined
  const how = readCriterion(topic.rest.slice(1))
  const count = how && /^ (\d{1,15}) - /.exec(how.rest)
  if (!how || !count) return undefined
  const place = readTail(how.rest.slice(count[0].length), /\.session message (\d{1,15}) - (\d{1,15})$/)
  const { criterion } = how
  return place && { kind: "compressed", level, topic: topic.value, criterion, count: Number(count[1]), ...place }
}

function readCriterion(text: string): { readonly criterion: CompressionCriterion; readonly rest: string } | undefined {
  if (!text.startsWith(ownWeights)) {
    const found = Object.entries(criterionNames).find(([, name]) => text.startsWith(`${name} `))
    if (found === undefined) return undefined
    const [criterion, name] = found as [keyof typeof criterionNames, string]
    return { criterion, rest: text.slice(name.length) }
  }
  const weights = readQuoted(text.slice(ownWeights.length))
  const numbers = weights?.value.split(" ").map((part) => (part === "" ? Number.NaN : Number(part)))
  const [match, recency, use] = numbers ?? []
  if (weights === undefined || numbers?.length !== 3 || !numbers.every(Number.isFinite)) return undefined
  if (match === undefined || recency === undefined || use === undefined) return undefined
  return { criterion: { weights: [match, recency, use] }, rest: weights.rest }
}

/** Reads a path that two numbers follow. The path itself may contain such numbers, so the last ones count. */
function readTail(text: string, pattern: RegExp) {
  const tailLength = 64
  const match = pattern.exec(text.slice(-tailLength))
  if (match === null) return undefined
  const [from, to] = [Number(match[1]), Number(match[2])]
  const path = readPath(text.slice(0, text.length - match[0].length))
  return path === undefined || to < from ? undefined : { path, from, to }
}

function readPath(text: string): string | undefined {
  return text.startsWith('"') ? parseString(text) : text
}

/** Reads a text between single quotes. `rest` is what follows it. */
function readQuoted(text: string): { readonly value: string; readonly rest: string } | undefined {
  if (!text.startsWith("'")) return undefined
  let end = 1
  while (end < text.length && text[end] !== "'") end += text[end] === "\\" ? 2 : 1
  if (end >= text.length) return undefined
  // As JSON: `\'` becomes `'`, and a bare `"` becomes `\"`.
  const inside = text.slice(1, end)
  const json = inside.replaceAll(/\\[\s\S]|"/g, (found) => (found === "\\'" ? "'" : found === '"' ? '\\"' : found))
  const value = parseString(`"${json}"`)
  return value === undefined ? undefined : { value, rest: text.slice(end + 1) }
}

function parseString(json: string): string | undefined {
  const value = parsedJson(json)
  return typeof value === "string" ? value : undefined
}
