import { didYouMean } from "../../core/suggest.ts"
import { priority as priorities } from "../../core/value.ts"
import { encodeJsonLine } from "../../prompt/encode/inline.ts"
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
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key
  return /^[\w-]+$/.test(shown) ? shown : encodeJsonLine(shown)
}

function nearKey(key: string): string {
  const near = didYouMean(key, known).trim()
  return near === "" ? "" : ` (${near.replace("Did you mean", "did you mean")})`
}
