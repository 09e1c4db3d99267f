import { type Json, stringOf } from "../../../core/json-access.ts"
import { breakTokens } from "../../../prompt/encode/sanitise.ts"
import { fillMacros, mapMacros, maxMacroDepth, nobody } from "../../../prompt/layers/card/macros.ts"
import { escapeTemplate } from "../../../prompt/template/scanner.ts"
import tables from "./silly-tavern.json" with { type: "json" }

/** A preset's words on their way into prompt files. */
export interface PresetWords {
  /** A sentence for each thing that was not followed. */
  readonly report: string[]
  /** The variables that its prompts have set so far. */
  readonly variables: Map<string, string>
  /** The number of characters that variables may still print, so that those which hold each other do not grow without end. */
  room: number
  /** Macros that each turn fills in anew. Entry `n` of the lorebook has the outlet `preset_n`. */
  readonly drawn: string[]
}

/** The part of a preset that words belong to, for the report of what is not filled in. */
export interface PresetPart {
  readonly words: PresetWords
  readonly name: string
}

/** Words of a preset as a prompt file writes them: macros for names become slots, and what chance or time decide is left for each turn. */
export function promptText(words: string, naming: PresetPart): { readonly text: string } {
  return { text: filled(words, literal, naming).trim() }
}

/** The same inside a branch of a prompt file. */
export function branchText(words: string, naming: PresetPart): string {
  return filled(words, escapeTemplate, naming)
}

function filled(given: string, written: (text: string) => string, { words, name }: PresetPart): string {
  const unknown = new Set<string>()
  const ofMacro = (body: string): string => {
    const macro = body.trim()
    const slot = slots.get(macro.toLowerCase())
    if (slot !== undefined) return found + slot
    const whole = `{{${body}}}`
    if (instructMacro.test(macro))
      words.report.push(`${name}: ${whole.slice(0, 60)} is left out; a chat API marks the messages itself.`)
    else if (fillMacros(whole, nobody).unknown.length > 0) unknown.add(whole.slice(0, 60))
    else return `${found}\${outlet.preset_${words.drawn.push(whole)}}`
    return instructMacro.test(macro) ? "" : written(whole)
  }
  const ofText = (text: string) =>
    text
      .split(/(<(?:char|bot|user)>)/i)
      .map((piece, at) => (at % 2 === 0 ? written(piece) : found + slots.get(piece.slice(1, -1).toLowerCase())))
      .join("")
  const text = mapMacros(resolved(withoutTokens(given, { words, name }), words), ofMacro, ofText)
  for (const macro of unknown) words.report.push(unfilled(name, macro))
  if (text.includes(`$${found}\${`))
    words.report.push(`${name}: a $ before a name has a blank behind it; with the name it would be a directive.`)
  return text.replaceAll(`$${found}\${`, "$ ${").replaceAll(found, "")
}

const slots = new Map(Object.entries(tables.slots))

const instructMacro = /^instruct\w+$/i

/** The words with comments, variables and `trim` gone, which SillyTavern evaluates from the first prompt to the last. */
function resolved(given: string, words: PresetWords): string {
  const { variables } = words
  const resolve = (text: string, depth: number): string =>
    mapMacros(text, (body): string => {
      if (/^\s*\/\//.test(body)) return ""
      const inner = depth < maxMacroDepth ? resolve(body, depth + 1) : body
      const [, does = "", name = "", value = ""] =
        /^\s*(get|set|add|inc|dec)(?:global)?var\s*::\s*([^:]{0,200}?)\s*(?:::([\s\S]*))?$/i.exec(inner) ?? []
      if (does === "") return `{{${inner}}}`
      const old = variables.get(name) ?? ""
      const step = { set: () => value, add: () => sumOf(old, value), inc: () => sumOf(old, "1"), dec: () => sumOf(old, "-1") }
      const kind = does.toLowerCase() as keyof typeof step | "get"
      if (kind !== "get") variables.set(name, step[kind]())
      const printed = kind === "set" || kind === "add" ? "" : (variables.get(name) ?? "")
      if (words.room >= 0 && words.room < printed.length)
        words.report.push(`${name}: variables print too much from here on, so they are left out.`)
      words.room -= printed.length
      return words.room < 0 ? "" : printed
    })
  const parts = resolve(given.replaceAll("\r\n", "\n"), 0).split(/\{\{trim\}\}/i)
  return parts.map((part, at) => withoutBreaks(part, { start: at > 0, end: at < parts.length - 1 })).join("")
}

function withoutBreaks(text: string, { start, end }: { readonly start: boolean; readonly end: boolean }): string {
  let from = 0
  let to = text.length
  while (start && text[from] === "\n") from++
  while (end && to > from && text[to - 1] === "\n") to--
  return text.slice(from, to)
}

/** Numbers are added, words are put together. */
function sumOf(a: string, b: string): string {
  const isNumber = (text: string) => text.trim() === "" || Number.isFinite(Number(text))
  return isNumber(a) && isNumber(b) ? String(Number(a) + Number(b)) : a + b
}

/** A mark before a token or a slot that is found. */
const found = "\0"
const tokens =
  /\0(?:(?:<[^>\n]*(?:start|begin|header|im_start)[^>\n]*>|<\|turn>)(?:system|user|assistant|model|developer)?|<[^>\n]*>(?:>)?|\[[^\]\n]*\]|.)/gi

/** The words without the tokens by which text completion parts messages, and without the roles behind them. */
function withoutTokens(given: string, { words, name }: PresetPart): string {
  const marked = breakTokens(given.replaceAll(found, ""), (start) => found + start)
  if (!marked.includes(found)) return given
  const gone = new Set<string>()
  const text = marked.replace(tokens, (token) => {
    gone.add(token.slice(1, 41))
    return ""
  })
  words.report.push(`${name}: ${[...gone].join(", ")} left out; a chat API marks the messages itself.`)
  return text
}

function unfilled(name: string, macro: string): string {
  return `${name}: the macro ${macro} is not filled in; the model reads it as it stands.`
}

/** A text outside of branches, where only `$` before one of three characters has a meaning. */
function literal(text: string): string {
  return text.replace(/\$(?=[{:}])/g, "$$$$")
}

/** The slots of a card's own words that take the place of these prompts. */
const overrides: Readonly<Record<string, string>> = { main: "character.system", jailbreak: "character.post_history" }

/** The words of a prompt. A card's own words may take the place of two of them, and `{{original}}` in those stands for the preset's (C6). */
export function overridden(identifier: string, { content, forbid_overrides: isFixed }: Json, naming: PresetPart): string {
  const slot = Object.hasOwn(overrides, identifier) ? overrides[identifier] : undefined
  const words = stringOf(content)
  if (slot === undefined || isFixed === true) return promptText(words, naming).text
  const own = branchText(words, naming).trim()
  // A card's own words stand there alone; a preset without words leaves no block behind.
  if (own === "") return ownWords(slot)
  return `\${${slot}?\n\${${slot}}\n:\n\${${slot}_before}\n\n${own}\n\n\${${slot}_after}\n}`
}

/** The place of a card's own words where a preset has none. */
export function ownWords(slot: string): string {
  return `\${${slot}?\n\${${slot}}\n}`
}

/** Words of a preset as an entry of a lorebook in Markdown, where a line of three hyphens would begin the next entry. */
export function loreText(words: string, naming: PresetPart): string {
  const rule = /^---[ \t]*$/gm
  const { name } = naming
  const { report } = naming.words
  const given = resolved(withoutTokens(words, naming), naming.words).trim()
  const text = given.replace(rule, "***")
  if (text !== given) report.push(`${name}: a line of three hyphens is three stars now.`)
  for (const macro of new Set(fillMacros(text, nobody).unknown)) report.push(unfilled(name, macro.slice(0, 60)))
  return text
}
