/** JSON data with every text in it changed, names of properties included. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [change(name), mapTexts(inner, change)]))
}
