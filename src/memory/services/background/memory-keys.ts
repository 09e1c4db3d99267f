import { isRecord } from "../../../core/json-access.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { normaliseMemoryText } from "../memory/duplicates.ts"
import type { MemoryKeys } from "../store/records.ts"
import { readJson } from "./read-json.ts"

const maxWords = 6
const maxWordCharacters = 40
const maxFactCharacters = 60
const maxDates = 4
const date = /^\d{4}-\d{2}-\d{2}$/
const separators = lazyPattern("[,;、，；\\n]", "u")

/**
 * Reads the keys in a model's answer, for each of the texts that it was shown in this order; undefined for a text without any. Whatever
 * cannot be read is left out: keys never cost the answer its number.
 */
export function readKeys(output: string, texts: readonly string[], by: string): readonly (MemoryKeys | undefined)[] {
  const answer = readJson(output)
  const given: unknown = isRecord(answer) ? (answer.keys ?? answer.关键词) : undefined
  const byLine = new Map<number, unknown>()
  if (Array.isArray(given))
    for (const [at, item] of given.entries())
      byLine.set(numberOf(isRecord(item) ? (item.line ?? item.id) : undefined) ?? at + 1, item)
  else if (isRecord(given)) for (const [line, item] of Object.entries(given)) byLine.set(numberOf(line) ?? 0, item)
  return texts.map((text, at) => keysOf(byLine.get(at + 1), text, by))
}

function numberOf(value: unknown): number | undefined {
  const found = /\d{1,6}/.exec(String(value).normalize("NFKC"))?.[0]
  return found === undefined ? undefined : Number(found)
}

function keysOf(item: unknown, text: string, by: string): MemoryKeys | undefined {
  const { words: written = item, subject, relation, dates, importance } = isRecord(item) ? item : {}
  const held = normaliseMemoryText(text)
  const words = new Map(textsOf(written, maxWordCharacters).map((word) => [normaliseMemoryText(word), word]))
  const others = [...words].flatMap(([normal, word]) => (normal === "" || held.includes(normal) ? [] : [word]))
  const days = textsOf(dates, maxWordCharacters).filter((day) => date.test(day) && !Number.isNaN(Date.parse(day)))
  const [who] = textsOf(subject, maxFactCharacters)
  const [what] = textsOf(relation, maxFactCharacters)
  const fact = who !== undefined && what !== undefined ? { subject: who, relation: what } : {}
  const judged = typeof importance === "number" && importance >= 0 && importance <= 10 ? { importance } : {}
  const told = { ...fact, ...(days.length > 0 ? { dates: days.slice(0, maxDates) } : {}), ...judged }
  const keys = { words: others.slice(0, maxWords), ...told, by }
  return others.length + Object.keys(told).length > 0 || who !== undefined ? keys : undefined
}

/** The short texts in a value: a list of texts, or one text with separators. */
function textsOf(value: unknown, most: number): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : typeof value === "string" ? value.split(separators()) : []
  return list.flatMap((item) => {
    const text = typeof item === "string" ? item.trim() : ""
    return text === "" || text.length > most ? [] : [text]
  })
}
