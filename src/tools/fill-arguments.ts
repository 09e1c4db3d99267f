const questionPlaceholder = "{{question}}"

/** What can stand in a prestart tool's arguments. */
export interface ArgumentValues {
  readonly question: string
}

/**
 * A copy of a prestart tool's arguments with `{{question}}` filled in every string value, at any depth (T25). The
 * question goes in once and as it is: placeholders inside it stay words. Keys are never filled.
 */
export function fillArguments(args: Readonly<Record<string, unknown>>, values: ArgumentValues): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, fill(value, values)]))
}

function fill(value: unknown, values: ArgumentValues): unknown {
  if (typeof value === "string") return value.replaceAll(questionPlaceholder, () => values.question)
  if (Array.isArray(value)) return value.map((item) => fill(item, values))
  if (typeof value !== "object" || value === null || value instanceof Date) return value
  return fillArguments(value as Readonly<Record<string, unknown>>, values)
}
