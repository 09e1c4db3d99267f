import { costOf, type TokenPrice } from "../../../core/model/prices.ts"
import type { TokenCounter } from "../../../core/ports.ts"
import type { CardFile } from "../../../node/cards/card-folder.ts"
import { terminalLine, terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { Card } from "../../../prompt/layers/card/card.ts"
import { cardParts, cardProblems } from "../../../prompt/layers/card/card-problems.ts"
import type { LoreEntry } from "../../../prompt/layers/lorebook/lorebook.ts"
import { fitColumns, headsIn, wrapColumns } from "../../../trace/table.ts"
import type { Paint } from "../io.ts"
import { printTable } from "../memory/terminal-table.ts"
import type { Translate } from "../words/translate.ts"

interface PageParts {
  readonly counter: TokenCounter
  readonly paint: Paint
  /** Puts titles and the words of tables into the reader's language. */
  readonly say: Translate
  /** The language in which notes are shown, if the card has them in it. */
  readonly locale: string | undefined
  /** The columns of the terminal. */
  readonly maxWidth?: number | undefined
  /** With it, the costs are also money. */
  readonly price?: TokenPrice | undefined
}

/** A card as a page for people. */
export function cardPage({ card, format }: CardFile, { counter, paint, say, locale, maxWidth }: PageParts): string {
  const { creator, characterVersion, tags, book, assets } = card
  const facts = [
    `card V${card.version} (${format})`,
    creator === "" ? "" : `by ${terminalLine(creator)}`,
    characterVersion === "" ? "" : `version ${terminalLine(characterVersion)}`,
  ]
  const head = `${paint("bold", terminalLine(card.shownName))}  ${paint("dim", facts.filter((fact) => fact !== "").join(" · "))}`
  const title = (words: string) => paint("bold", say(words))
  const block = (words: string, text: string) => (text.trim() === "" ? [] : [`${title(words)}\n${terminalText(text.trim())}`])
  const greetings = [...card.greetings, ...card.groupGreetings].map(
    (text, at) => `${at + 1}. ${at < card.greetings.length ? "" : say("(for groups) ")}${terminalText(text.trim())}`,
  )
  const files = assets.map(({ type, name, uri }) => fitColumns(`${type} ${name}: ${uri.slice(0, 80)}`, maxWidth))
  const lore = (book?.entries ?? []).map((entry) => loreCells(entry, { counter, say }))
  return [
    [head, ...(tags.length === 0 ? [] : [paint("dim", terminalLine(tags.join(", ")))])].join("\n"),
    ...block("Creator's notes", notesOf(card, locale)),
    ...block("Description", card.description),
    ...block("Personality", card.personality),
    ...block("Scenario", card.scenario),
    ...block("System prompt", card.systemPrompt),
    ...block("Example dialogues", card.exampleDialogues),
    ...block("After the history", card.postHistory),
    ...block("Note at a depth", card.note?.text.text ?? ""),
    ...block("Greetings", greetings.join("\n")),
    ...(lore.length === 0
      ? []
      : [`${title("Lore")}\n${printTable(headsIn(["ORDER", "KEYS", "TITLE", "PLACE", "TOKENS"], say), lore, maxWidth)}`]),
    ...block("Assets", files.join("\n")),
    costTable(card, { counter, paint, say }),
    ...block("Warnings", cardProblems(card).map(say).join("\n")),
  ]
    .map((part) => wrapColumns(part, maxWidth))
    .join("\n\n")
}

function loreCells(entry: LoreEntry, { counter, say }: Pick<PageParts, "counter" | "say">): readonly string[] {
  const { order, keys, title = "", position, constant, disabled, text } = entry
  const words = keys.map((key) => (typeof key === "string" ? key : `/${key.source}/${key.flags}`)).join(", ")
  const place = position?.at === "depth" ? `depth ${position.depth}, ${position.role}` : (position?.at ?? "")
  const state = disabled === true ? say("(off) ") : constant === true ? say("(always) ") : ""
  return [String(order), state + words, title, place, String(counter.count(text.text))]
}

const turnsADay = 50
const daysAMonth = 30

/** The tokens of each part of a card, and what it costs a month if it is in every turn (C39). */
export function costTable(card: Card, { counter, paint, say, price }: Omit<PageParts, "locale">): string {
  const parts = cardParts(card).map((part) => {
    const tokens = counter.count(part.text)
    const inputTokens = tokens * turnsADay * daysAMonth
    const money = costOf({ inputTokens, inputCacheReadTokens: part.cacheable ? inputTokens : 0 }, price) ?? 0
    return { ...part, tokens, money }
  })
  const sum = (of: "tokens" | "money", always?: true): number =>
    parts.reduce((total, part) => total + (always && !part.always ? 0 : part[of]), 0)
  const rows = parts.map(({ name, tokens, always, cacheable, money }) => {
    const priced = price === undefined ? [] : [say(cacheable ? "cached" : "not cached"), money.toFixed(4)]
    return [name, String(tokens), say(always ? "every turn" : "when called"), ...priced]
  })
  const heads = price === undefined ? ["PART", "TOKENS", "WHEN"] : ["PART", "TOKENS", "WHEN", "CACHE", "USD/MONTH"]
  const [always, most] = [sum("money", true).toFixed(4), sum("money").toFixed(4)]
  return [
    paint("bold", say("Costs")),
    printTable(headsIn(heads, say), rows),
    say(`${sum("tokens", true)} tokens in every turn, up to ${sum("tokens")} with all lore`),
    ...(price === undefined
      ? []
      : [say(`${turnsADay} turns a day cost ${always} US dollars a month, up to ${most} with all lore in every turn`)]),
  ].join("\n")
}

/** The creator's notes in the language of a locale, else those that the card has for all. */
function notesOf(card: Card, locale = "en"): string {
  const forAll = card.creatorNotes.trim() === "" ? Object.values(card.notesByLanguage)[0] : card.creatorNotes
  return ownNotes(card, locale) ?? forAll ?? ""
}

function ownNotes({ notesByLanguage }: Card, locale: string): string | undefined {
  const codeOf = (name: string) => name.toLowerCase().split(/[-_.]/, 1)[0]
  return Object.entries(notesByLanguage).find(([name]) => codeOf(name) === codeOf(locale))?.[1]
}

/** Tells if a card has notes, but none in the language that was asked for. */
export function notesProblems(card: Card, locale: string | undefined): readonly string[] {
  if (locale === undefined || ownNotes(card, locale) !== undefined || notesOf(card, locale).trim() === "") return []
  return [`creator_notes_multilingual: expected notes in ${JSON.stringify(locale)}, found none; others are shown in their place.`]
}
