/** How much a compression left. */
export type CompressionLevel = "weak" | "medium" | "extreme"

/** By what a compression chose; three weights stand for fit, newness and use. */
export type CompressionCriterion =
  | "best-match"
  | "worst-match"
  | "newest"
  | "oldest"
  | "most-used"
  | "least-used"
  | { readonly weights: readonly [match: number, recency: number, use: number] }

/** Where a piece of reference info comes from (R23). Lines and messages count from 1. */
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
      /** Of the session's file, without `.session`. */
      readonly path: string
      readonly from: number
      readonly to: number
    }

/** What a criterion is called in a source. */
export const criterionNames = {
  "best-match": "最符合",
  "worst-match": "最不符合",
  newest: "最近",
  oldest: "最老",
  "most-used": "最常用",
  "least-used": "最不常用",
} as const

/** Stands before weights of one's own. */
export const ownWeights = "自定义权重:"

/** The source as reference info shows it, exactly (R23): `parseReferenceSource` gives it back. */
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

/** Between single quotes, on one line. */
function quoted(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escapeBreaks(inside)}'`
}

/** As it is, unless it would not stand on one line or begins as a quoted one does. */
function path(text: string): string {
  const isPlain = JSON.stringify(text).length === text.length + 2 + text.replaceAll(/[^"\\]/g, "").length
  return isPlain && !text.startsWith('"') && escapeBreaks(text) === text ? text : escapeBreaks(JSON.stringify(text))
}

/** The line breaks that JSON leaves as they are. */
function escapeBreaks(text: string): string {
  return text.replaceAll(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
