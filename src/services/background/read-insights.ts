import { graphemeBoundaryBefore } from "../../core/grapheme-boundary.ts"
import { readJson } from "./read-json.ts"

/** An insight as a model wrote it, with the numbers of the memories that it named. */
export interface WrittenInsight {
  readonly text: string
  readonly numbers: readonly number[]
}

const maxInsights = 5
const maxCharacters = 1_000

/** The insights in what a model said; none is a good answer, undefined where it cannot be read. */
export function readInsights(output: string): readonly WrittenInsight[] | undefined {
  const value = readJson(output)
  const list = Array.isArray(value) ? value : listIn(value)
  if (list === undefined) return undefined
  return list.flatMap(insightOf).slice(0, maxInsights)
}

/** `{"insights": […]}`, one insight alone, or an empty object. */
function listIn(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const list = Object.values(value).find((member) => Array.isArray(member) && member.some((item) => typeof item === "object"))
  if (Array.isArray(list)) return list
  return Object.keys(value).length === 0 ? [] : [value]
}

function insightOf(item: unknown): WrittenInsight[] {
  if (typeof item === "string") return written(item, [])
  if (typeof item !== "object" || item === null) return []
  const members: readonly unknown[] = Object.values(item)
  const text = members.find((member) => typeof member === "string" && member.trim() !== "")
  const linked = members.find(Array.isArray)
  return typeof text === "string" ? written(text, (linked ?? []).flatMap(numberIn)) : []
}

function written(text: string, numbers: readonly number[]): WrittenInsight[] {
  const trimmed = text.trim()
  if (trimmed === "") return []
  const short = trimmed.length <= maxCharacters ? trimmed : trimmed.slice(0, graphemeBoundaryBefore(trimmed, maxCharacters))
  return [{ text: short, numbers }]
}

/** `3`, `"3"`, `"#3"`. */
function numberIn(item: unknown): number[] {
  const found = typeof item === "number" ? String(item) : /\d{1,9}/.exec(String(item).normalize("NFKC"))?.[0]
  return found === undefined ? [] : [Number(found)]
}
