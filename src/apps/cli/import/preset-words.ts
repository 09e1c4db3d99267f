import { stringOf } from "../../../core/json-access.ts"
import { fillMacros } from "../../../prompt/layers/card/macros.ts"
import { escapeTemplate } from "../../../prompt/template/scanner.ts"

type Json = Readonly<Record<string, unknown>>

/** The part of a preset that words belong to, for the report of what is not filled in. */
export interface Naming {
  readonly report: string[]
  readonly name: string
}

/** Words of a preset as a prompt file writes them: macros for names become slots, nothing else runs. */
export function fillText(words: string, naming: Naming): { readonly text: string } {
  return { text: filled(words, literal, naming).trim() }
}

/** The same inside a branch of a prompt file. */
export function branchText(words: string, naming: Naming): string {
  return filled(words, escapeTemplate, naming)
}

function filled(words: string, written: (text: string) => string, { report, name }: Naming): string {
  const unknown = new Set<string>()
  const pieces = words.replaceAll("\r\n", "\n").split(/(\{\{[^{}]{0,2000}\}\}|<(?:char|bot|user)>)/i)
  const text = pieces.map((piece, at) => {
    if (at % 2 === 0) return written(piece)
    const macro = piece.replace(/^\{\{|\}\}$|[<>]/g, "").trim()
    if (/^(?:char|bot)$/i.test(macro)) return "${agent_name}"
    if (/^user$/i.test(macro)) return "${user_name = User}"
    if (macro.startsWith("//") || /^(?:trim|noop)$/i.test(macro)) return ""
    if (/^newline$/i.test(macro)) return "\n"
    unknown.add(piece.slice(0, 60))
    return written(piece)
  })
  for (const macro of unknown) report.push(unfilled(name, macro))
  return text.join("")
}

function unfilled(name: string, macro: string): string {
  return `${name}: the macro ${macro} is not filled in; the model reads it as it stands.`
}

/** A text outside of branches, where only `$` before one of three characters has a meaning. */
export function literal(text: string): string {
  return text.replace(/\$(?=[{:}])/g, "$$$$")
}

/** The slots of a card's own words that take the place of these prompts. */
const overrides: Readonly<Record<string, string>> = { main: "character.system", jailbreak: "character.post_history" }

/** The words of a prompt. A card's own words may take the place of two of them, and `{{original}}` in those stands for the preset's (C6). */
export function overridden(identifier: string, { content, forbid_overrides: isFixed }: Json, naming: Naming): string {
  const slot = Object.hasOwn(overrides, identifier) ? overrides[identifier] : undefined
  const words = stringOf(content)
  if (slot === undefined || isFixed === true) return fillText(words, naming).text
  const own = branchText(words, naming).trim()
  return `\${${slot}?\n\${${slot}}\n:\n\${${slot}_before}\n\n${own}\n\n\${${slot}_after}\n}`
}

/** Words of a preset as an entry of a lorebook in Markdown, where a line of three hyphens would begin the next entry. */
export function loreText(words: string, { report, name }: Naming): string {
  const rule = /^---[ \t]*$/gm
  const given = words.replaceAll("\r\n", "\n").trim()
  const text = given.replace(rule, "***")
  if (text !== given) report.push(`${name}: a line of three hyphens is three stars now.`)
  for (const macro of new Set(fillMacros(text, nobody).unknown)) report.push(unfilled(name, macro.slice(0, 60)))
  return text
}

const nobody = { char: "", user: "", nowMs: 0, locale: "en", random: () => 0, pick: () => 0 }
