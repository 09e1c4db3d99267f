import { recordOf } from "../../../core/json-access.ts"
import { sanitise } from "../../encode/sanitise.ts"
import { isCacheable } from "../lorebook/lore-injections.ts"
import type { LoreEntry } from "../lorebook/lorebook.ts"
import { createLoreScanner } from "../lorebook/scan.ts"
import type { Card } from "./card.ts"
import { type CardScript, cardScripts, patternOf, scriptWork, showsHtml } from "./card-scripts.ts"
import { fillMacros, nobody } from "./macros.ts"

/** A part of a card that enters prompts, with its text. */
export interface CardPart {
  readonly name: string
  readonly text: string
  /** True for a part that every prompt has while there is room; the others enter when they are called. */
  readonly always: boolean
  /** True for a part that stays the same before or in the history, so that a provider's cache can serve it. */
  readonly cacheable: boolean
}

const behindHistory: ReadonlySet<string> = new Set(["post_history_instructions", "extensions.depth_prompt"])

/** The parts of a card that can enter a prompt, in the order of the dialect `tavern`. */
export function cardParts(card: Card): readonly CardPart[] {
  const fields: readonly (readonly [name: string, text: string])[] = [
    ["system_prompt", card.systemPrompt],
    ["description", card.description],
    ["personality", card.personality],
    ["scenario", card.scenario],
    ["mes_example", card.exampleDialogues],
    ["first_mes", card.greetings[0] ?? ""],
    ["post_history_instructions", card.postHistory],
    ["extensions.depth_prompt", card.note?.text.text ?? ""],
  ]
  const lore = (card.book?.entries ?? []).map((entry, at) => ({
    name: loreName(entry, at),
    text: entry.text.text,
    always: entry.constant === true,
    cacheable: isCacheable(entry),
  }))
  const fixed = fields.map(([name, text]) => ({ name, text, always: true, cacheable: !behindHistory.has(name) }))
  let isBroken = false
  return [...fixed, ...lore].flatMap((part) => {
    // Macros of the turn change what a cache serves from there on. Those of the description are filled in once.
    isBroken ||= part.cacheable && part.name !== "description" && fillMacros(part.text, nobody).lasts === "turn"
    const cacheable = part.cacheable && !isBroken
    return part.text.trim() === "" ? [] : [{ ...part, cacheable }]
  })
}

function loreName({ title }: LoreEntry, at: number): string {
  return `entries[${at}]${title === undefined ? "" : ` ${title}`}`
}

/** Everything about a card that its author may not have meant, a line each. */
export function cardProblems(card: Card): readonly string[] {
  const entries = card.book?.entries ?? []
  const parts = [...cardParts(card), ...card.greetings.slice(1).map((text, at) => ({ name: `alternate_greetings[${at}]`, text }))]
  return [
    ...card.warnings,
    ...parts.flatMap(({ name, text }) => textProblems(name, text)),
    ...extensionProblems(card),
    ...entries.flatMap((entry, at) => entryProblems(entry, loreName(entry, at))),
    ...createLoreScanner({ entries }).refused.map(({ entry, key, reason }) => {
      const at = entries.findIndex(({ id }) => id === entry)
      return `${loreName(entries[at] as LoreEntry, at)}: the pattern ${key} is not used: ${reason}.`
    }),
  ]
}

/** Extensions that act in other programs: scripts and quick replies. They are kept. */
const acting = ["TavernHelper_scripts", "tavern_helper", "quick_replies", "quickReply", "risuai"]

/** Tells what other programs would do with the card and this one does not: scripts that do not run, and others by name. */
function extensionProblems({ json }: Card): readonly string[] {
  const extensions = recordOf(recordOf(json.data).extensions)
  const scripts = cardScripts({ json }).flatMap((script) =>
    scriptProblems(script, `extensions.regex_scripts: the script ${JSON.stringify(script.name.slice(0, 80))}`),
  )
  const others = acting.filter((name) => Object.hasOwn(extensions, name))
  return [...scripts, ...others.map((name) => `extensions.${name}: it is kept and does nothing here.`)]
}

/** The length of a long message, for which a script must be quick enough. */
const longMessage = 4_000

function scriptProblems(script: CardScript, name: string): readonly string[] {
  const pattern = patternOf(script)
  const { left } = scriptWork()
  if ("refused" in pattern) return [`${name} is kept and does not run: ${pattern.refused}.`]
  const isSlow = pattern.costOf(longMessage, left) > left
  return [
    ...(isSlow ? [`${name} may not run on long messages: its pattern could take too long.`] : []),
    ...(script.places.size > 0 ? [] : [`${name} is kept and does not run: it acts on none of words, answers and lore.`]),
    ...(showsHtml(script) ? [`${name} changes nothing that is shown: its replacement is HTML.`] : []),
  ]
}

function textProblems(name: string, text: string): readonly string[] {
  const unknown = [...new Set(fillMacros(text, nobody).unknown)]
  const { removed, kinds } = sanitise(text)
  return [
    ...unknown.map((macro) => `${name}: the macro ${macro.slice(0, 80)} is not known; the model reads it as it stands.`),
    ...(removed === 0 ? [] : [`${name}: invisible characters are taken out: ${removed} (${kinds.join(", ")}).`]),
  ]
}

function entryProblems({ keys, constant, conditions, text, disabled, probability }: LoreEntry, name: string): readonly string[] {
  if (disabled === true) return []
  const isCalled = keys.some((key) => typeof key !== "string" || key.trim() !== "")
  return [
    ...(text.text.trim() === "" ? [`${name}: the entry has no text, so it never enters.`] : []),
    ...(isCalled || constant === true || conditions?.force === "always"
      ? []
      : [`${name}: the entry has no key, so it never enters.`]),
    ...(probability !== undefined && probability <= 0 ? [`${name}: the probability is ${probability}, so it never enters.`] : []),
  ]
}
