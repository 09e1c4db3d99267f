import { branchText, overridden, type PresetPart, type PresetWords } from "./preset-words.ts"
import tables from "./silly-tavern.json" with { type: "json" }

/** The slots of a card's parts, as a prompt file of `tavern` writes them, for the names that a context template knows. */
interface StoryLook {
  /** The preset's own system prompt, which a card's may replace. */
  readonly main: string
  /** The example dialogues with the lore around them. */
  readonly examples: string
  readonly words: PresetWords
}

/** A context template as the system message of a prompt file. */
export interface Story {
  readonly text: string
  /** Keys of a card that the template does not show. */
  readonly off: readonly string[]
}

/** The story string that SillyTavern brings along, for a file without one. */
export const defaultStory =
  "{{#if system}}{{system}}\n{{/if}}{{#if wiBefore}}{{wiBefore}}\n{{/if}}{{#if description}}{{description}}\n{{/if}}{{#if personality}}{{char}}'s personality: {{personality}}\n{{/if}}{{#if scenario}}Scenario: {{scenario}}\n{{/if}}{{#if wiAfter}}{{wiAfter}}\n{{/if}}{{#if persona}}{{persona}}\n{{/if}}{{trim}}"

/** The keys of the parts that a template can leave out. */
const parts: Readonly<Record<string, readonly string[]>> = tables.parts

const sameNames: Readonly<Record<string, string>> = tables.sameNames

/** Names of what extensions of SillyTavern write there. Nothing here does. */
const empty: ReadonlySet<string> = new Set(["anchorbefore", "anchorafter", "group", "groupnotmuted", "charprefix"])

/** Stands where a slot or a branch needs the line to itself. */
const edge = "\u{e000}"

/**
 * A story string with slots in place of its names and branches in place of its conditions. Each slot has its lines to itself, so that a
 * card's text stands there as it is.
 */
export function storyOf(given: string, { main, examples, words }: StoryLook): Story {
  const naming: PresetPart = { words, name: "story_string" }
  const used = new Set<string>()
  const slotText = (name: string): string | undefined => {
    used.add(name)
    if (name === "system")
      return main === "" ? "${character.system}" : overridden("main", { content: main }, { words, name: "system prompt" })
    if (name === "mesexamples") return examples
    if (name === "persona") return "${user_persona}"
    const [key] = Object.hasOwn(parts, name) ? (parts[name] ?? []) : []
    return key && `\${${key}}`
  }
  const text = storyText(readStory(given), { main, slotText, naming })
  const missing = Object.keys(parts).filter((name) => !used.has(name))
  // A key that only a condition names needs a slot as well, else it would stand with the other context. This one is never printed.
  const asked = missing.filter((name) => parts[name]?.[0] !== undefined && text.includes(`\${${parts[name]?.[0]}?`))
  const slots = asked.map((name) => `\${${parts[name]?.[0]}?\n:\n\${${parts[name]?.[0]}}\n}`)
  // Without a slot a card's system prompt would be part of the persona.
  if (!used.has("system") && !asked.includes("system")) slots.push("${character.system}")
  for (const name of missing)
    words.report.push(`story_string: it has no place for {{${name}}}, so prompts leave that out, as SillyTavern does.`)
  const laid = [text, used.has("mesexamples") ? "" : examples, ...slots].join(edge)
  return {
    text: laid
      .replace(/(?:(?<![ \t])[ \t]*\n?\u{e000})+\n?/gu, "\n")
      .replace(/\n{3,}/g, "\n\n")
      // An empty slot leaves no trace, so one alone needs no branch.
      .replace(/\$\{([\w.]+)\?\n(\$\{\1\})\n\}/g, "$2")
      .trim(),
    off: missing.flatMap((name) => (asked.includes(name) ? [] : (parts[name] ?? []))),
  }
}

type StoryNode =
  | { readonly text: string }
  | { readonly slot: string; readonly whole: string }
  | { readonly when: string; readonly held: readonly StoryNode[]; readonly otherwise: readonly StoryNode[] }

/** Conditions stand in each other so deep at most. A prompt file takes sixteen. */
const maxDepth = 8

/** Reads the part of Handlebars that story strings use: names, `if`, `unless`, `else`, comments and `~`. What is not closed ends with the text. */
function readStory(given: string): readonly StoryNode[] {
  const story = withoutComments(given.replaceAll("\r\n", "\n").replaceAll(edge, ""))
  const parted = story.split(/(\{\{\{?[^{}]*\}?\}\})/)
  const pieces = parted.map((piece, at) => {
    const trimmed = parted[at + 1]?.startsWith("{{~") ? piece.trimEnd() : piece
    return at % 2 === 0 && parted[at - 1]?.endsWith("~}}") ? trimmed.trimStart() : trimmed
  })
  let at = 0
  let depth = 0
  const until = (stops: RegExp): StoryNode[] => {
    const nodes: StoryNode[] = []
    for (; at < pieces.length; at++) {
      const piece = pieces[at] ?? ""
      const name = at % 2 === 0 ? "" : nameIn(piece)
      if (stops.test(name)) break
      const [, kind, when = ""] = (depth < maxDepth && /^#(if|unless)\s+([\w.]+)$/.exec(name)) || []
      nodes.push(at % 2 === 0 ? { text: piece } : kind === undefined ? { slot: name, whole: piece } : branch(kind, when))
    }
    return nodes
  }
  const branch = (kind: string, when: string): StoryNode => {
    at++
    depth++
    const held = until(/^(?:\/(?:if|unless)|else(?:\s.*)?|\^)$/)
    const name = nameIn(pieces[at] ?? "")
    const [, nextKind, next = ""] = /^else\s+(if|unless)\s+([\w.]+)$/.exec(name) ?? []
    let otherwise: StoryNode[] = []
    if (nextKind !== undefined && depth < maxDepth) otherwise = [branch(nextKind, next)]
    else if (/^(?:else|\^)/.test(name)) {
      at++
      otherwise = until(/^\/(?:if|unless)$/)
    }
    depth--
    return kind === "if" ? { when, held, otherwise } : { when, held: otherwise, otherwise: held }
  }
  return until(/^$(?!)/)
}

function nameIn(piece: string): string {
  return piece.replace(/^\{+~?&?|~?\}+$/g, "").trim()
}

function withoutComments(story: string): string {
  const kept: string[] = []
  let from = 0
  for (let at = story.indexOf("{{!"); at >= 0; at = story.indexOf("{{!", from)) {
    const close = story.startsWith("{{!--", at) ? "--}}" : "}}"
    const end = story.indexOf(close, at + 3)
    if (end < 0) break
    kept.push(story.slice(from, at))
    from = end + close.length
  }
  return kept.join("") + story.slice(from)
}

interface StoryParts {
  readonly main: string
  readonly naming: PresetPart
  slotText(name: string): string | undefined
}

function storyText(nodes: readonly StoryNode[], parts: StoryParts): string {
  return nodes.map((node) => nodeText(node, parts)).join("")
}

function nodeText(node: StoryNode, all: StoryParts): string {
  const { main, naming, slotText } = all
  if ("text" in node) return branchText(node.text, naming)
  if ("slot" in node) {
    const name = plainName(node.slot)
    if (empty.has(name) || /^(?:trim|noop)$/.test(name) || name.startsWith("/")) return ""
    const slot = slotText(name)
    if (slot !== undefined) return edge + slot + edge
    if (name.startsWith("#"))
      naming.words.report.push(`story_string: ${node.whole} is not followed; what it chooses among stands there.`)
    return name.startsWith("#") ? "" : branchText(node.whole, naming)
  }
  const name = plainName(node.when)
  const [held, otherwise] = [node.held, node.otherwise].map((nodes) => storyText(nodes, all)) as [string, string]
  if (name === "char" || name === "user" || (name === "system" && main !== "")) return held
  const slot = name === "mesexamples" ? "character.examples" : name === "persona" ? "user_persona" : parts[name]?.[0]
  if (slot === undefined) {
    naming.words.report.push(`story_string: nothing here is {{${node.when}}}, so what depends on it is left out.`)
    return otherwise
  }
  const last = otherwise.trim() === "" ? "" : `\n:\n${edge}${otherwise}`
  return `${edge}\${${slot}?\n${edge}${held}${last}${edge}}${edge}`
}

/** A name of a story string as its own table has it. */
function plainName(given: string): string {
  const name = given.toLowerCase()
  return (Object.hasOwn(sameNames, name) && sameNames[name]) || name
}
