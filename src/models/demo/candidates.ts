import type { ModelTool } from "../../model/language-model.ts"
import { findExpressions } from "./expressions.ts"
import { meanings } from "./lexicon.ts"
import type { Parameter } from "./parameters.ts"
import { findPlaces } from "./places.ts"
import { pointOf } from "./strip.ts"
import { findTime } from "./time-expression.ts"
import { findTimeZones } from "./time-zones.ts"
import { isHan, wordsOf } from "./words.ts"

/** What a text offers for a parameter. */
export interface Candidates {
  readonly values: readonly unknown[]
  /** `likely`: found by what it looks like. `certain`: it can be meant for nothing else. */
  readonly evidence?: "likely" | "certain"
}

const maxDescriptionCharacters = 60

/** The values that a text holds for a parameter, by what the parameter is called and described as. */
export function candidatesFor(parameter: Parameter, tool: ModelTool, text: string): Candidates {
  const { name, description, type, options } = parameter
  const says = `${name.replace(/([a-z])([A-Z])/g, "$1_$2")} ${description.slice(0, maxDescriptionCharacters)}`.toLowerCase()
  if (options.length > 0) return { values: options.filter((option) => holds(text, option)).slice(0, 1) }
  if (/time_?zone|时区/.test(says)) return { values: findTimeZones(text).slice(0, 1), evidence: "likely" }
  if (/expression|formula|算式|表达式/.test(says)) {
    return { values: findExpressions(text).map((found) => found.text), evidence: "certain" }
  }
  const time = findTime(text)
  if (/(?:^|[^a-z])(?:time|date|datetime|when)(?![a-z])|时间|日期/.test(says)) {
    return time ? { values: [time.text], ...(time.precise && { evidence: "likely" as const }) } : { values: [] }
  }
  if (type === "number" || type === "integer") return { values: numbersIn(text).slice(0, 1) }
  return type === "string" ? { values: wordsFor(parameter, { says, tool, text, rest: without(text, time) }) } : { values: [] }
}

interface Reading {
  readonly says: string
  readonly tool: ModelTool
  readonly text: string
  /** The text without its time. */
  readonly rest: string
}

function wordsFor({ required }: Parameter, { says, tool, text, rest }: Reading): readonly string[] {
  const quoted = quotedIn(text)
  if (quoted.length > 0) return quoted.slice(0, 1)
  if (/city|location|place|town|country|region|城市|地点|地区|国家/.test(says)) return findPlaces(rest, anchorsOf(tool))
  const isFree = /title|subject|query|keyword|text|topic|name|question|what|标题|内容|关键词|问题|主题|名称/.test(says)
  const point = required && isFree ? pointOf(rest) : ""
  return point === "" ? [] : [point]
}

/** The words by which a question may name what the tool is about. */
function anchorsOf({ name, description }: ModelTool): readonly string[] {
  const about = wordsOf(`${name} ${description}`)
  return [...[...about.meanings].flatMap((meaning) => meanings[meaning] ?? []), ...about.words]
}

function holds(text: string, option: unknown): boolean {
  return text.toLowerCase().includes(String(option).toLowerCase())
}

function without(text: string, found: { readonly start: number; readonly end: number } | undefined): string {
  if (!found) return text
  const [before, after] = [text.slice(0, found.start), text.slice(found.end)]
  return isHan(before.at(-1)) || isHan(after[0]) ? before + after : `${before} ${after}`
}

function numbersIn(text: string): readonly number[] {
  return (text.match(/-?\d{1,15}(?:\.\d{1,15})?/g) ?? []).map(Number)
}

function quotedIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/[「『“"]([^「」『』“”"]{1,200})[」』”"]/g)]
  return quoted.map(([, inside]) => inside ?? "").filter((inside) => inside.trim() !== "")
}
