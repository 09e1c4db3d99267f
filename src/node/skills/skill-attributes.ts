import { clipped } from "../../core/graphemes.ts"
import { isTexts } from "../../core/json-access.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { didYouMean } from "../../core/suggest.ts"
import { priority as priorities } from "../../core/value.ts"
import { encodeJsonLine } from "../../prompt/encode/inline.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import type { Skill, SkillMode } from "../../prompt/layers/skills.ts"
import { type SkillText, skillFault, type Warn } from "./skill-problem.ts"

/** The front matter of a skill's file, and what replaces a missing name or description. */
export interface SkillFrontMatter {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly text: SkillText
  /** True for a folder in the open Agent Skills form. Other agents read those too, so mistakes in them are forgiven where possible. */
  readonly open: boolean
  /** The folder's name, or the file's without its ending. */
  readonly placeName: string
  readonly body: string
  readonly warn: Warn
}

/** The optional keys of a skill's front matter: all but name and description. */
export type SkillAttributes = Pick<Skill, "mode" | "priority" | "allowedTools" | "license" | "compatibility" | "metadata">

const known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "mode", "priority"]
const modes: readonly SkillMode[] = ["inline", "outline"]
const maxCompatibilityLength = 500

/** Reads the optional keys. A value that cannot be used is left out with a warning; a wrong `mode` or `priority` outside the open form throws. */
export function readSkillAttributes(given: SkillFrontMatter): SkillAttributes {
  const { attributes, warn } = given
  const read = {
    mode: readMode(given),
    priority: readPriority(given),
    allowedTools: readTools(attributes["allowed-tools"], warn),
    metadata: readMetadata(attributes.metadata, warn),
    ...textAs("license", attributes.license, warn),
    ...textAs("compatibility", attributes.compatibility, warn),
  }
  const length = read.compatibility?.length ?? 0
  if (length > maxCompatibilityLength)
    warn("compatibility", `compatibility: expected at most ${maxCompatibilityLength} characters, found ${length}.`)
  const unknown = Object.keys(attributes).filter((key) => !known.includes(key))
  if (unknown.length > 0) warn("unknown-key", unknownKeys(unknown), "Put keys of your own under metadata.", unknown[0])
  return read
}

function readMode({ attributes: { mode }, text, open, warn }: SkillFrontMatter): SkillMode {
  if (mode === undefined) return "outline"
  const found = modes.find((one) => one === mode)
  if (found !== undefined) return found
  const near = typeof mode === "string" ? didYouMean(mode, modes) : ""
  const message = `mode: expected inline or outline, found ${JSON.stringify(mode)}.${near}`
  if (!open) throw skillFault(text, "mode", message)
  warn("mode", message, "It is taken as outline.")
  return "outline"
}

function readPriority({ attributes: { priority }, text, open, warn }: SkillFrontMatter): number {
  if (priority === undefined) return priorities.default
  if (typeof priority === "number" && Number.isFinite(priority)) return priority
  const message = `priority: expected a number, found ${JSON.stringify(priority)}.`
  if (!open) throw skillFault(text, "priority", message)
  warn("priority", message, `It is taken as ${priorities.default}.`)
  return priorities.default
}

function readTools(value: unknown, warn: Warn): readonly string[] {
  if (value === undefined || value === null) return []
  const tools = readAllowedTools(value)
  if (tools === undefined) warn("allowed-tools", "allowed-tools: expected names of tools, found something else.")
  return tools ?? []
}

/**
 * The tools in an `allowed-tools`: a list, or one text in which spaces or commas stand between tools. Text in parentheses belongs
 * to its tool: `Bash(git add:*), Read` are two tools. `undefined` for any other value.
 */
export function readAllowedTools(value: unknown): readonly string[] | undefined {
  if (typeof value === "string") return splitTools(/^\[.*\]$/s.test(value.trim()) ? value.trim().slice(1, -1) : value)
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return undefined
  return value.map((item) => item.trim()).filter((item) => item !== "")
}

function splitTools(text: string): string[] {
  const tools: string[] = []
  let tool = ""
  let depth = 0
  for (const character of text) {
    if (depth === 0 && /[\s,]/.test(character)) {
      if (tool !== "") tools.push(tool)
      tool = ""
      continue
    }
    if (character === "(") depth++
    if (character === ")") depth = Math.max(0, depth - 1)
    tool += character
  }
  // A parenthesis that never closes took in the rest of the text, so that rest is split at every space and comma.
  if (depth > 0) return [...tools, ...tool.split(/[\s,]+/).filter((word) => word !== "")]
  return tool === "" ? tools : [...tools, tool]
}

function readMetadata(metadata: unknown, warn: Warn): Skill["metadata"] {
  if (metadata === undefined || metadata === null) return {}
  if (typeof metadata === "object" && !Array.isArray(metadata)) return { ...metadata }
  warn("metadata", "metadata: expected keys and values, found something else.")
  return {}
}

/** A text value under its key; no key for a value that is absent or cannot be text. */
function textAs<K extends "license" | "compatibility">(key: K, value: unknown, warn: Warn): { readonly [P in K]?: string } {
  if (value === undefined || value === null) return {}
  if (typeof value !== "string") warn(key, `${key}: expected text, found ${JSON.stringify(value)}.`)
  return ["string", "number", "boolean"].includes(typeof value) ? ({ [key]: String(value) } as { [P in K]: string }) : {}
}

function unknownKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, 10).map((key) => `${shownKey(key)}${nearKey(key)}`)
  const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : ""
  return `expected only ${known.join(", ")} in the front matter of a skill, found ${shown.join(", ")}${more}; they are not used.`
}

function shownKey(key: string): string {
  const shown = clipped(key, 60)
  return /^[\w-]+$/.test(shown) ? shown : encodeJsonLine(shown)
}

function nearKey(key: string): string {
  const near = didYouMean(key, known).trim()
  return near === "" ? "" : ` (${near.replace("Did you mean", "did you mean")})`
}

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
  if (isTexts(value)) return onOneLine(value.join(" "))
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
