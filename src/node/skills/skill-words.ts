import { sanitise } from "../../encode/sanitise.ts"
import { type AttributesGiven, warningAt } from "./skill-attributes.ts"
import { isPathName, isStandardName, maxNameLength } from "./skill-name.ts"
import { type SkillProblem, type SkillRule, skillFault } from "./skill-problem.ts"

const maxDescriptionLength = 1024

/** Front matter, and what stands in for words it lacks. */
export interface WordsGiven extends AttributesGiven {
  /** The folder's name, or the file's without its ending. */
  readonly placeName: string
  readonly body: string
}

/** A skill's name and description. */
export interface SkillWords {
  readonly name: string
  /** One line. */
  readonly description: string
  readonly problems: readonly SkillProblem[]
}

/** Reads name and description. What the open standard forbids is a warning; a name that is a path or no text at all throws. */
export function readSkillWords(given: WordsGiven): SkillWords {
  const problems: SkillProblem[] = []
  const warn: Warn = (rule, message, hint) => {
    problems.push(warningAt(given.text, { rule, key: rule, message, ...(hint === undefined ? {} : { hint }) }))
  }
  const words = { name: readName(given, warn), description: readDescription(given, warn) }
  return { ...words, problems }
}

type Warn = (rule: SkillRule & ("name" | "description"), message: string, hint?: string) => void

function readName({ attributes, text, open, placeName }: WordsGiven, warn: Warn): string {
  const given = wordOf(attributes.name)
  if (given === undefined) throw skillFault(text, "name", `name: expected text, found ${JSON.stringify(attributes.name)}.`)
  if (given === "" && open) warn("name", "name: expected one, found none.", `It is taken from the folder: ${placeName}.`)
  const name = given === "" ? placeName : given
  if (isPathName(name)) {
    throw skillFault(
      text,
      "name",
      `name: expected a name, found the path ${JSON.stringify(name)}.`,
      "Write one word, such as pdf-forms.",
    )
  }
  const length = [...name].length
  if (length > maxNameLength) warn("name", `name: expected at most ${maxNameLength} characters, found ${length}.`)
  if (!open) return name
  if (!isStandardName(name))
    warn("name", `name: expected lowercase letters, digits and single hyphens, found ${JSON.stringify(name)}.`)
  else if (name !== placeName)
    warn("name", `name: expected that of the folder, ${JSON.stringify(placeName)}, found ${JSON.stringify(name)}.`)
  return name
}

function readDescription({ attributes, text, body }: WordsGiven, warn: Warn): string {
  const given = wordOf(attributes.description)
  if (given === undefined) throw skillFault(text, "description", "description: expected text, found something else.")
  const description = given === "" ? firstWords(body) : given
  if (description === "") throw skillFault(text, undefined, "expected a skill, found neither a description nor instructions.")
  if (given === "") warn("description", "description: expected one, found none.", "It is taken from the first words of the body.")
  const length = [...given].length
  if (length > maxDescriptionLength)
    warn("description", `description: expected at most ${maxDescriptionLength} characters, found ${length}.`)
  return description
}

/** A value as one line of text, `""` for none; `undefined` where it is no text. */
function wordOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return ""
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return oneLine(value.join(" "))
  return ["string", "number", "boolean"].includes(typeof value) ? oneLine(String(value)) : undefined
}

/** The first paragraph of a body, else its first heading, cut to what a description may have. */
function firstWords(body: string): string {
  const paragraphs = body.split(/\n[^\S\n]*\n/, 20).map((part) => part.trim())
  const found =
    paragraphs.find((part) => part !== "" && !/^(?:#|```|---|<!--)/.test(part)) ?? paragraphs.find((part) => part !== "")
  const line = oneLine((found ?? "").slice(0, 4 * maxDescriptionLength).replace(/^#+/, ""))
  return [...line].slice(0, maxDescriptionLength).join("")
}

function oneLine(text: string): string {
  return text.replace(/[\s\u0085]+/g, " ").trim()
}

/** Characters that nobody sees but a model reads, in what a skill says to it. */
export function hiddenCharacters(texts: readonly string[]): number {
  return texts.reduce((count, text) => count + sanitise(text).removed, 0)
}
