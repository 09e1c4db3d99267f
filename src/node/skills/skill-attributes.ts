import { priority as priorities } from "../../core/priority.ts"
import { didYouMean } from "../../core/suggest.ts"
import { encodeJsonLine } from "../../encode/inline.ts"
import type { Skill, SkillMode } from "../../layers/skills.ts"
import { readAllowedTools } from "./allowed-tools.ts"
import { positionOfKey, problemAt, type SkillProblem, type SkillRule, type SkillText, skillFault } from "./skill-problem.ts"

/** Front matter and where it stands; `open` for a folder in the open Agent Skills form, whose readers differ in what they forgive. */
export interface AttributesGiven {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly text: SkillText
  readonly open: boolean
}

/** What front matter says beside name and description. */
export type SkillAttributes = Pick<Skill, "mode" | "priority" | "allowedTools" | "license" | "compatibility" | "metadata">

const known = ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "mode", "priority"]
const modes: readonly SkillMode[] = ["inline", "outline"]
const maxCompatibilityLength = 500

/** Reads the optional keys. What cannot be used is left out with a warning; `mode` and `priority` of a file of our own form throw. */
export function readSkillAttributes(given: AttributesGiven): SkillAttributes & { readonly problems: readonly SkillProblem[] } {
  const problems: SkillProblem[] = []
  const warn: Warn = (rule, key, message, hint) => {
    problems.push(warningAt(given.text, { rule, key, message, ...(hint === undefined ? {} : { hint }) }))
  }
  const { license, compatibility } = given.attributes
  const read = {
    mode: readMode(given, warn),
    priority: readPriority(given, warn),
    allowedTools: readTools(given, warn),
    metadata: readMetadata(given, warn),
    ...textAs("license", license, warn),
    ...textAs("compatibility", compatibility, warn),
  }
  if ((read.compatibility?.length ?? 0) > maxCompatibilityLength)
    warn(
      "compatibility",
      "compatibility",
      `compatibility: expected at most ${maxCompatibilityLength} characters, found ${read.compatibility?.length}.`,
    )
  const unknown = Object.keys(given.attributes).filter((key) => !known.includes(key))
  const [first] = unknown
  if (first !== undefined) warn("unknown-key", first, unknownKeys(unknown), "Put what is your own under metadata.")
  return { ...read, problems }
}

type Warn = (rule: SkillRule, key: string, message: string, hint?: string) => void

/** A warning at a key of the front matter. */
export function warningAt(
  text: SkillText,
  { key, ...problem }: { readonly rule: SkillRule; readonly key: string; readonly message: string; readonly hint?: string },
): SkillProblem {
  return problemAt(text, positionOfKey(text, key), { severity: "warning", ...problem })
}

function readMode({ attributes: { mode }, text, open }: AttributesGiven, warn: Warn): SkillMode {
  if (mode === undefined) return "outline"
  const found = modes.find((one) => one === mode)
  if (found !== undefined) return found
  const near = typeof mode === "string" ? didYouMean(mode, modes) : ""
  const message = `mode: expected inline or outline, found ${JSON.stringify(mode)}.${near}`
  if (!open) throw skillFault(text, "mode", message)
  warn("mode", "mode", message, "It is taken as outline.")
  return "outline"
}

function readPriority({ attributes: { priority }, text, open }: AttributesGiven, warn: Warn): number {
  if (priority === undefined) return priorities.default
  if (typeof priority === "number" && Number.isFinite(priority)) return priority
  const message = `priority: expected a number, found ${JSON.stringify(priority)}.`
  if (!open) throw skillFault(text, "priority", message)
  warn("priority", "priority", message, `It is taken as ${priorities.default}.`)
  return priorities.default
}

function readTools({ attributes }: AttributesGiven, warn: Warn): readonly string[] {
  const value = attributes["allowed-tools"]
  if (value === undefined || value === null) return []
  const tools = readAllowedTools(value)
  if (tools === undefined) warn("allowed-tools", "allowed-tools", "allowed-tools: expected names of tools, found something else.")
  return tools ?? []
}

function readMetadata({ attributes: { metadata } }: AttributesGiven, warn: Warn): Skill["metadata"] {
  if (metadata === undefined || metadata === null) return {}
  if (typeof metadata === "object" && !Array.isArray(metadata)) return { ...metadata }
  warn("metadata", "metadata", "metadata: expected keys and values, found something else.")
  return {}
}

function textAs<K extends "license" | "compatibility">(key: K, value: unknown, warn: Warn): { readonly [P in K]?: string } {
  if (value === undefined || value === null) return {}
  if (typeof value === "string") return { [key]: value } as { [P in K]: string }
  warn(key, key, `${key}: expected text, found ${JSON.stringify(value)}.`)
  return ["number", "boolean"].includes(typeof value) ? ({ [key]: String(value) } as { [P in K]: string }) : {}
}

function unknownKeys(keys: readonly string[]): string {
  const shown = keys.slice(0, 10).map((key) => `${keyText(key)}${nearTo(key)}`)
  const more = keys.length > shown.length ? ` and ${keys.length - shown.length} more` : ""
  return `expected only ${known.join(", ")} in the front matter of a skill, found ${shown.join(", ")}${more}; they are not used.`
}

function keyText(key: string): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key
  return /^[\w-]+$/.test(shown) ? shown : encodeJsonLine(shown)
}

function nearTo(key: string): string {
  const near = didYouMean(key, known).trim()
  return near === "" ? "" : ` (${near.replace("Did you mean", "did you mean")})`
}
