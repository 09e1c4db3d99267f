import { isRecord } from "../../../core/json-access.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { defined } from "../../../core/value.ts"
import { normaliseMemoryText } from "../memory/duplicates.ts"
import { knownRelation } from "../memory/fact-relation.ts"
import { selfNames } from "../memory/memory-facts.ts"
import type { MemoryFact, MemoryKeys } from "../store/records.ts"
import { memberOf, readAnswer } from "./read-json.ts"

/** Names of the member of an answer with the keys. */
export const keyNames = "keys|关键词|关键字"

const maxWords = 6
const maxWordCharacters = 40
const maxFactCharacters = 60
const maxDates = 4
const maxFacts = 8
const maxValueCharacters = 200
const subjectNames = "subject|主体|主语|谁"
const relationNames = "relation|关系|方面|哪一方面"
/** A day of the years 1000 to 2999. */
const date = /^[12]\d{3}-\d{2}-\d{2}$/
const separators = lazyPattern("[,;、，；\\n]", "u")

/**
 * Reads the keys in a model's answer, for each of the texts that it was shown in this order; undefined for a text without any. Whatever
 * cannot be read is left out: keys never cost the answer its number. `leftOut` gets the facts and dates of which that is true, and each
 * fact that the same line contradicts further on.
 */
export function readKeys(output: string, texts: readonly string[], by: string, leftOut: unknown[] = []) {
  const given = memberOf(readAnswer(output).answer, keyNames)
  const byLine = new Map<number, unknown>()
  if (Array.isArray(given))
    for (const [at, item] of given.entries()) byLine.set(numberOf(memberOf(item, "line|id|行|行号|编号")) ?? at + 1, item)
  else if (isRecord(given)) for (const [line, item] of Object.entries(given)) byLine.set(numberOf(line) ?? 0, item)
  return texts.map((text, at) => keysOf(byLine.get(at + 1), text, by, leftOut))
}

function isDay(day: string): boolean {
  const atMs = date.test(day) ? Date.parse(day) : Number.NaN
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day)
}

/** Reads `3`, `"3"` or `"#3"`. */
export function numberOf(value: unknown): number | undefined {
  const found = /\d{1,9}/.exec(String(value).normalize("NFKC"))?.[0]
  return found === undefined ? undefined : Number(found)
}

function keysOf(item: unknown, text: string, by: string, leftOut: unknown[]): MemoryKeys | undefined {
  const written = memberOf(item, "words|词|检索词|关键词") ?? item
  const importance = memberOf(item, "importance|重要性|重要度|评分|分数")
  const held = normaliseMemoryText(text)
  const words = new Map(textsOf(written, maxWordCharacters).map((word) => [normaliseMemoryText(word), word]))
  const others = [...words].flatMap(([normal, word]) => (normal === "" || held.includes(normal) ? [] : [word]))
  const dates = textsOf(memberOf(item, "dates|date|日期|日子"), maxWordCharacters)
  const days = dates.filter(isDay).slice(0, maxDates)
  leftOut.push(...dates.filter((date) => !days.includes(date)))
  const facts = factsIn(memberOf(item, "facts|fact|事实"), leftOut)
  const [who] = textsOf(memberOf(item, subjectNames), maxFactCharacters)
  const [what] = textsOf(memberOf(item, relationNames), maxFactCharacters)
  const one = who !== undefined && what !== undefined ? { subject: who, relation: what } : {}
  const fact = facts.length > 0 ? { facts } : one
  const judged = typeof importance === "number" && importance >= 0 && importance <= 10 ? { importance } : {}
  const told = { ...fact, ...(days.length > 0 ? { dates: days } : {}), ...judged }
  const keys = { words: others.slice(0, maxWords), ...told, by }
  return others.length + Object.keys(told).length > 0 || who !== undefined ? keys : undefined
}

/** The facts in a value. Of two of one subject and relation, the later one is meant: people correct themselves. */
function factsIn(given: unknown, leftOut: unknown[]): readonly MemoryFact[] {
  const facts = new Map<string, MemoryFact>()
  for (const item of Array.isArray(given) ? given : isRecord(given) ? [given] : []) {
    const [subject] = textsOf([memberOf(item, subjectNames)], maxFactCharacters)
    const [relation] = textsOf([memberOf(item, relationNames)], maxFactCharacters)
    const written = memberOf(item, "value|值|内容") ?? undefined
    const [value] = textsOf([typeof written === "number" ? String(written) : written], maxValueCharacters)
    const isWhole = subject !== undefined && relation !== undefined && (value === undefined) === (written === undefined)
    const who = normaliseMemoryText(subject ?? "").replace(selfNames, "user")
    const name = `${who}: ${knownRelation(relation ?? "") ?? normaliseMemoryText(relation ?? "")}`
    if (!isWhole || (facts.size >= maxFacts && !facts.has(name))) leftOut.push(item)
    else {
      if (facts.has(name)) leftOut.push(facts.get(name))
      facts.set(name, defined({ subject, relation, value }))
    }
  }
  return [...facts.values()]
}

/** The short texts in a value: a list of texts, or one text with separators. */
function textsOf(value: unknown, most: number): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : typeof value === "string" ? value.split(separators()) : []
  return list.flatMap((item) => {
    const text = typeof item === "string" ? item.trim() : ""
    return text === "" || text.length > most ? [] : [text]
  })
}
