import { lazyPattern } from "../../core/lazy-pattern.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import type { SkillFrontMatter } from "./skill-attributes.ts"
import { skillFault } from "./skill-problem.ts"

/** The longest name and description of the open Agent Skills standard. */
const maxNameLength = 64
const maxDescriptionLength = 1024

/** Reads the name as one line. A breach of the open standard is a warning. A name that is a path, or a value that is no text, throws. */
export function readName({ attributes, text, open, placeName, warn }: SkillFrontMatter): string {
  const given = asLine(attributes.name)
  if (given === undefined) throw skillFault(text, "name", `name: expected text, found ${JSON.stringify(attributes.name)}.`)
  if (given === "" && open) warn("name", "name: expected one, found none.", `It is taken from the folder: ${placeName}.`)
  const name = given === "" ? placeName : given
  if (isPathName(name)) {
    const message = `name: expected a name, found the path ${JSON.stringify(name)}.`
    throw skillFault(text, "name", message, "Write one word, such as pdf-forms.")
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

/** Words of lowercase letters and digits with single hyphens between them. */
const standardName = lazyPattern(String.raw`^[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$`, "u")

/** True for a name that the open standard allows, whatever its length. */
export function isStandardName(name: string): boolean {
  return standardName().test(name)
}

/** True for a name that is a path: `../x`, `/etc/x`, `a/b`, `~x`, `C:\x`. A title such as `CI / CD` is none. */
export function isPathName(name: string): boolean {
  if (name.includes("\\") || /^[./~]/.test(name) || /^[A-Za-z]:\//.test(name)) return true
  const parts = name.split("/")
  return parts.length > 1 && (!name.includes(" ") || parts.some((part) => part === "" || part.trim() === ".."))
}

/** Reads the description as one line. Without one it is taken from the body, which is a warning. A value that is no text throws. */
export function readDescription({ attributes, text, body, warn }: SkillFrontMatter): string {
  const given = asLine(attributes.description)
  if (given === undefined) throw skillFault(text, "description", "description: expected text, found something else.")
  const description = given === "" ? firstWords(body) : given
  if (description === "") throw skillFault(text, undefined, "expected a skill, found neither a description nor instructions.")
  if (given === "") warn("description", "description: expected one, found none.", "It is taken from the first words of the body.")
  const length = [...given].length
  if (length > maxDescriptionLength)
    warn("description", `description: expected at most ${maxDescriptionLength} characters, found ${length}.`)
  return description
}

/** A value as one line of text, `""` if it is absent; `undefined` if it is no text. */
function asLine(value: unknown): string | undefined {
  if (value === undefined || value === null) return ""
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return onOneLine(value.join(" "))
  return ["string", "number", "boolean"].includes(typeof value) ? onOneLine(String(value)) : undefined
}

/** The first paragraph of a body, else its first heading, cut to the length of a description. */
function firstWords(body: string): string {
  const paragraphs = body.split(/\n[^\S\n]*\n/, 20).map((part) => part.trim())
  const found =
    paragraphs.find((part) => part !== "" && !/^(?:#|```|---|<!--)/.test(part)) ?? paragraphs.find((part) => part !== "")
  const line = onOneLine((found ?? "").slice(0, 4 * maxDescriptionLength).replace(/^#+/, ""))
  return [...line].slice(0, maxDescriptionLength).join("")
}
