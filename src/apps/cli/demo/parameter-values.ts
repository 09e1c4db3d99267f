import { listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import type { ModelTool } from "../../../core/model/language-model.ts"
import { findExpressions } from "./expressions.ts"
import { findPlaces, pointOf } from "./phrases.ts"
import { findTime, findTimeZones } from "./times.ts"
import { isHan, meanings, wordsOf } from "./vocabulary.ts"

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
    return { values: numbersIn(text).slice(at, at + 1) }
  }
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

/** Words that a question may use for the subject of the tool. */
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

function isNumber({ type }: Parameter): boolean {
  return type === "number" || type === "integer"
}

function numbersIn(text: string): readonly number[] {
  return (text.match(/-?\d{1,15}(?:\.\d{1,15})?/g) ?? []).map(Number)
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
