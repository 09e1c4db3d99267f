import type { z } from "zod"

/**
 * A zod check that refuses dates, times, `inf` and `nan`: TOML has them, but a tool's arguments are JSON. The recursion is safe,
 * as the TOML parser bounds the depth.
 */
export function checkPlainArguments({ value, issues }: z.core.ParsePayload<Record<string, unknown>>): void {
  for (const path of notJson(value, []))
    issues.push({ code: "custom", input: value, path, message: "JSON: a string, a number, true, false, an array or a table" })
}

function notJson(value: unknown, path: readonly PropertyKey[]): PropertyKey[][] {
  if (typeof value === "number") return Number.isFinite(value) ? [] : [[...path]]
  if (value instanceof Date) return [[...path]]
  if (Array.isArray(value)) return value.flatMap((item, at) => notJson(item, [...path, at]))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => notJson(item, [...path, key]))
}
