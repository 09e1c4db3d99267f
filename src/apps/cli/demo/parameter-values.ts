import { listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import type { ModelTool } from "../../../core/model/language-model.ts"
import { findPlaces, pointOf } from "./phrases.ts"
import { isHan, meanings, subjectOf } from "./vocabulary.ts"
import words from "./words.json" with { type: "json" }

/** The values in a text for a parameter. */
interface Candidates {
  readonly values: readonly unknown[]
  /** `likely`: found by its form. `certain`: it fits no other kind of parameter. */
  readonly evidence?: "likely" | "certain" | undefined
}

const maxDescriptionCharacters = 60

/** Finds values for a parameter in a text, by the parameter's name and description. */
export function candidatesFor(parameter: Parameter, tool: ModelTool, text: string): Candidates {
  const { name, description, type, options } = parameter
  const says = `${name.replace(/([a-z])([A-Z])/g, "$1_$2")} ${description.slice(0, maxDescriptionCharacters)}`.toLowerCase()
  if (options.length > 0) return { values: options.filter((option) => holds(text, option)).slice(0, 1) }
  if (/time_?zone|时区/.test(says)) return { values: findTimeZones(text).slice(0, 1), evidence: "likely" }
  if (/expression|formula|算式|表达式/.test(says)) {
    return { values: findExpressions(text), evidence: "certain" }
  }
  const time = findTime(text)
  if (/(?:^|[^a-z])(?:time|date|datetime|when)(?![a-z])|时间|日期/.test(says)) {
    return { values: time ? [time.text] : [], evidence: time?.precise ? "likely" : undefined }
  }
  if (isNumber(parameter)) {
    // The first number is for the first of them, so that no number is used twice.
    const at = parametersOf(tool)
      .filter(isNumber)
      .findIndex((each) => each.name === name)
    const numbers = (text.match(/-?\d{1,15}(?:\.\d{1,15})?/g) ?? []).map(Number)
    return { values: numbers.slice(at, at + 1) }
  }
  return type === "string" ? { values: wordsFor(parameter, { says, tool, text, rest: without(text, time) }) } : { values: [] }
}

interface ArgumentSources {
  readonly says: string
  readonly tool: ModelTool
  readonly text: string
  /** The text without its time. */
  readonly rest: string
}

function wordsFor({ required }: Parameter, { says, tool, text, rest }: ArgumentSources): readonly string[] {
  const quoted = quotedIn(text)
  if (quoted.length > 0) return quoted.slice(0, 1)
  if (/city|location|place|town|country|region|城市|地点|地区|国家/.test(says)) return findPlaces(rest, anchorsOf(tool))
  const isFree = /title|subject|query|keyword|text|topic|name|question|what|标题|内容|关键词|问题|主题|名称/.test(says)
  const point = required && isFree ? pointOf(rest) : ""
  return point === "" ? [] : [point]
}

/** Words that a question may use for the subject of the tool. */
function anchorsOf({ name, description }: ModelTool): readonly string[] {
  const about = subjectOf(`${name} ${description}`)
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

function isNumber({ type }: Parameter): boolean {
  return type === "number" || type === "integer"
}

function quotedIn(text: string): readonly string[] {
  const quoted = [...text.matchAll(/[「『“"]([^「」『』“”"]{1,200})[」』”"]/g)]
  return quoted.map(([, inside]) => inside ?? "").filter((inside) => inside.trim() !== "")
}

/** A parameter of a tool, read from its schema. */
interface Parameter {
  readonly name: string
  readonly description: string
  readonly type: unknown
  /** The values of an enum; empty for any other parameter. */
  readonly options: readonly unknown[]
  readonly required: boolean
}

/** The parameters of a tool. Ignores what is not valid in its schema. */
export function parametersOf({ inputSchema }: ModelTool): readonly Parameter[] {
  const required = listOf(inputSchema.required)
  return Object.entries(recordOf(inputSchema.properties)).map(([name, schema]) => {
    const { description, type, enum: options } = recordOf(schema)
    return { name, description: stringOf(description), type, options: listOf(options), required: required.includes(name) }
  })
}

/** The name of a parameter in a question to a person: the first words of its description. */
export function shownName({ name, description }: Parameter): string {
  // The rest is advice to a model, such as examples and formats.
  const [first = ""] = description.split(/[，,；;。(（]/)
  return first.trim() === "" ? name : first.trim()
}

/** Words for operators, and the sign of each that a calculator uses. */
const spoken: ReadonlyMap<string, string> = new Map(Object.entries(words.operators))
const operator = `(?:[-+*/^×÷−＋－＊／]|${[...spoken.keys()].join("|")})`
const prefix = "(?:sqrt|sin|cos|tan|abs|log|ln)"
const operand = `(?:(?:${prefix}|[(（]) *){0,20}-?(?:\\d{1,300}(?:\\.\\d{1,300})?|pi)(?: *[)）!%]){0,20}`
const expression = new RegExp(`-?${operand}(?: *${operator} *-?${operand}){0,200}`, "gi")
const calculates = new RegExp(`[\\d)）!%i] *${operator} *\\S|${prefix}|!`, "i")
const date = /^(?:\d{4}([-/])\d{1,2}\1\d{1,2}|\d{4}-\d{4})$/
const spokenWord = new RegExp([...spoken.keys()].join("|"), "gi")

/** Finds the arithmetic in a text, in order: `帮我算 17*23` → `17*23`. Dates, ranges of years and single numbers do not count. */
export function findExpressions(text: string): readonly string[] {
  return (text.match(expression) ?? [])
    .filter((found) => calculates.test(found) && !date.test(found))
    .map((found) => found.replace(spokenWord, (word) => spoken.get(word.toLowerCase()) ?? word).toLowerCase())
}

/** A part of a text that names a time, with its UTF-16 offsets. */
interface TimeExpression {
  readonly text: string
  readonly start: number
  readonly end: number
  /** True if it names an hour or a duration, not only a day. */
  readonly precise: boolean
}

const hanNumber = "(?:\\d{1,4}|[零一二两三四五六七八九十半]{1,3})"
const hanDay =
  "(?:今天|明天|后天|大后天|今晚|明早|明晚|(?:本|这|下)?个?(?:周|星期|礼拜)[一二三四五六日天]|\\d{1,2}月\\d{1,2}[日号]|\\d{4}-\\d{1,2}-\\d{1,2})"
const hanPart = "(?:早上|早晨|上午|中午|下午|傍晚|晚上|凌晨)"
const clock = "\\d{1,2}:\\d{2}"
const hanHour = `(?:${hanNumber}点(?:整|半|一刻|三刻|${hanNumber}分?)?|${clock})`
const hanLater = `${hanNumber}个?(?:半)?(?:分钟|小时|天|周)(?:之后|以后|后)`

const day = "(?:today|tonight|tomorrow|(?:(?:on|next|this) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
const hour = "(?:(?:at )?(?:\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock)|\\d{1,2}:\\d{2}|noon|midnight)|at \\d{1,2})"
const part = "(?:in the )?(?:morning|afternoon|evening)"
const later = "in \\d{1,4} (?:minute|hour|day|week)s?"

const precise = timePattern([
  `(?:${hanDay}的?)?(?:${hanPart}的?)?${hanHour}`,
  hanLater,
  `(?:${day} (?:${part} )?)?${hour}(?: ${part})?(?: ${day})?`,
  later,
])
const vague = timePattern([`${hanDay}${hanPart}?`, `${day}(?: ${part})?`])

/** Finds the first precise time in a text, else the first day. */
export function findTime(text: string): TimeExpression | undefined {
  return match(text, precise, true) ?? match(text, vague, false)
}

function timePattern(sources: readonly string[]): RegExp {
  return new RegExp(`(?<![a-z0-9])(?:${sources.join("|")})(?![a-z0-9])`, "i")
}

function match(text: string, pattern: RegExp, isPrecise: boolean): TimeExpression | undefined {
  const found = pattern.exec(text)
  return found ? { text: found[0], start: found.index, end: found.index + found[0].length, precise: isPrecise } : undefined
}

/** Finds the IANA time zones in a text, by their own name or by a city. */
export function findTimeZones(text: string): readonly string[] {
  const named = text.match(/\b[A-Z][a-z]{1,20}\/[A-Z][A-Za-z_]{1,30}\b/g) ?? []
  const lower = text.toLowerCase()
  const ofCities = Object.entries(words.timeZones).filter(([, names]) => names.some((name) => lower.includes(name)))
  return [...new Set([...named, ...ofCities.map(([zone]) => zone)])]
}
