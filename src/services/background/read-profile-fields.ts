import { graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import { readJson } from "./read-json.ts"

/** What a model says that a user said of themselves. */
export interface ProfileField {
  readonly name: string
  readonly value: string
  /** From 0 to 1; absent where the model did not say. */
  readonly confidence?: number
}

const maxFields = 24
const maxNameCharacters = 60
const maxValueCharacters = 500
const maxDepth = 3

/** The fields in what a model said; none is a good answer, undefined where it cannot be read. A blank value is no field (T34). */
export function readProfileFields(output: string): readonly ProfileField[] | undefined {
  const value = readJson(output)
  if (typeof value !== "object" || value === null) return undefined
  const found = Array.isArray(value) ? value.flatMap(fieldsOfItem) : fieldsOf(value, "", 0)
  const named = new Map(found.map((field) => [field.name, field]))
  return [...named.values()].slice(0, maxFields)
}

/** `{"field": "city", "value": "Hangzhou"}`, or an object of fields. */
function fieldsOfItem(item: unknown): ProfileField[] {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return []
  const members = new Map(Object.entries(item))
  const name = members.get("field") ?? members.get("name") ?? members.get("字段名")
  return typeof name === "string" && members.has("value") ? fieldsOf({ [name]: item }, "", 0) : fieldsOf(item, "", 0)
}

function fieldsOf(object: object, prefix: string, depth: number): ProfileField[] {
  return Object.entries(object).flatMap(([key, value]: [string, unknown]) => {
    const name = prefix === "" ? key.trim() : `${prefix}.${key.trim()}`
    if (isObject(value) && !("value" in value)) return depth < maxDepth ? fieldsOf(value, name, depth + 1) : []
    const told = isObject(value) ? Reflect.get(value, "value") : value
    const confidence: unknown = isObject(value) ? Reflect.get(value, "confidence") : undefined
    return field(name, textOf(told), confidence)
  })
}

function field(name: string, value: string, confidence: unknown): ProfileField[] {
  if (name === "" || value === "") return []
  const isShare = typeof confidence === "number" && confidence >= 0 && confidence <= 1
  return [{ name: cut(name, maxNameCharacters), value: cut(value, maxValueCharacters), ...(isShare ? { confidence } : {}) }]
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim()
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(", ")
  return ""
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, graphemeBoundaryBefore(text, characters))
}
