import table from "./fault-advice.json" with { type: "json" }

/**
 * Advice for a fault by its code: SQLite's primary result code, PostgreSQL's or the system's. A trailing `*` stands for any rest, and
 * `missing` is a table or column that has gone since the store was opened.
 */
export const faultAdvice: ReadonlyMap<string, string> = new Map(
  table.flatMap(({ codes, advice }) => codes.map((code) => [code, advice] as const)),
)
