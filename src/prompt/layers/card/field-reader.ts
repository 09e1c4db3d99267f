/** Reads the fields of an object that other programs wrote. What is wrong gets a default and a warning; what is absent only a default. */
export interface FieldReader {
  /** Default `""`. */
  text(name: string): string
  /** Default: an empty list. A single text becomes a list. */
  texts(name: string): readonly string[]
  /** Default `undefined`. Numbers written as text are read. */
  number(name: string): number | undefined
  /** Default `undefined`. `"true"`, `"false"`, 1 and 0 are read. */
  flag(name: string): boolean | undefined
}

/** The most warnings that are kept: a card of many megabytes could have millions. */
const maxWarnings = 1_000

/** Makes a reader whose warnings name each field behind `path`. `nameOf` gives the name that a field has there. */
export function createFieldReader(
  fields: Readonly<Record<string, unknown>>,
  warnings: string[],
  path = "",
  nameOf = (name: string): string => name,
): FieldReader {
  const fieldOf = (name: string): unknown =>
    Object.hasOwn(fields, nameOf(name)) ? (fields[nameOf(name)] ?? undefined) : undefined
  const warn = (name: string, expected: string, found: unknown, instead: string) => {
    if (warnings.length < maxWarnings)
      warnings.push(`${path}${nameOf(name)}: expected ${expected}, found ${foundWords(found)}; read as ${instead}.`)
    else if (warnings.length === maxWarnings) warnings.push("More fields are of another type; they are read in the same way.")
  }
  const toText = (name: string, value: unknown): string => {
    if (value === undefined || typeof value === "string") return value ?? ""
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : ""
    warn(name, "a text", value, text === "" ? "no text" : "a text")
    return text
  }
  return {
    text: (name) => toText(name, fieldOf(name)),
    texts(name) {
      const value = fieldOf(name)
      if (value === undefined) return []
      if (Array.isArray(value)) return value.map((item: unknown, at) => toText(`${name}[${at}]`, item ?? undefined))
      const text = typeof value === "string" ? value : ""
      warn(name, "a list of texts", value, text === "" ? "an empty list" : "a list of one")
      return text === "" ? [] : [text]
    },
    number(name) {
      const value = fieldOf(name)
      if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value
      const number = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN
      const isNumber = Number.isFinite(number)
      warn(name, "a finite number", value, isNumber ? `${number}` : "absent")
      return isNumber ? number : undefined
    },
    flag(name) {
      const value = fieldOf(name)
      if (value === undefined || typeof value === "boolean") return value
      const flag = value === "true" || value === 1 ? true : value === "false" || value === 0 ? false : undefined
      warn(name, "true or false", value, flag === undefined ? "absent" : `${flag}`)
      return flag
    },
  }
}

function foundWords(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60))
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "an object" : String(value)
}
