import { hasForm, isTable, isWithin, valuesBeyondJson } from "../../profile/check-keys.ts"
import type { Keys, ValueType } from "../../profile/key.ts"
import { profileFileKeys } from "../../profile/profile-file-keys.ts"

/**
 * True for the data of a profile's file that the zod schema takes (L9). A file without mistakes is checked by this alone, as loading zod
 * takes longer than loading the profile. A test holds the two equal.
 */
export function fitsProfileFile(data: unknown): boolean {
  return fits(profileFileKeys.type, data)
}

/** The name of a key as a file spells it: `max_steps` for `maxSteps`. */
export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function fits(type: ValueType, value: unknown): boolean {
  switch (type.kind) {
    case "number":
      return isWithin(value, type)
    case "flag":
      return typeof value === "boolean"
    case "choice":
      return type.choices.some((choice) => choice === value)
    case "text":
      return typeof value === "string" && (type.form === undefined || hasForm(value, type.form))
    case "scalar":
      return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
    case "json":
      return isTable(value) && valuesBeyondJson(value).length === 0
    case "list":
      return Array.isArray(value) && value.every((item) => fits(type.of, item))
    case "map":
      return (
        isTable(value) &&
        Object.entries(value).every(([name, inner]) => (type.names?.includes(name) ?? true) && fits(type.of, inner))
      )
    case "table":
      return isTable(value) && fitsTable(type.keys, value)
    case "code":
      return false
  }
}

function fitsTable(keys: Keys, table: Readonly<Record<string, unknown>>): boolean {
  const names = new Map(Object.entries(keys).map(([name, key]) => [inSnakeCase(name), key]))
  for (const [name, value] of Object.entries(table)) {
    const key = names.get(name)
    if (key === undefined || !fits(key.type, value)) return false
  }
  return [...names].every(([name, { presence }]) => presence !== "required" || Object.hasOwn(table, name))
}
