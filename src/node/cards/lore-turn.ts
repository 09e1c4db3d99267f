import { mulberry32 } from "../../core/mulberry.ts"
import type { LoreDecision } from "../../core/span.ts"
import { defined } from "../../core/value.ts"
import type { BeforeTurnContext } from "../../memory/services/turn-hook.ts"
import { filledStability } from "../../prompt/layers/card/card-injections.ts"
import type { FilledText } from "../../prompt/layers/card/macros.ts"
import { knownTexts } from "../../prompt/layers/lorebook/key-index.ts"
import { isSteady, loreInjections, type PlacedLore } from "../../prompt/layers/lorebook/lore-injections.ts"
import { afterTurn, type LoreMemory, loreMemory } from "../../prompt/layers/lorebook/lore-memory.ts"
import type { LoreSettings } from "../../prompt/layers/lorebook/lore-settings.ts"
import type { Lorebook, LoreEntry } from "../../prompt/layers/lorebook/lorebook.ts"
import { createLoreScanner, type LoreScan, type LoreScanner } from "../../prompt/layers/lorebook/scan.ts"
import type { LoreReport, LoreTurn } from "../../prompt/layers/lorebook/turn.ts"

/** A book that is ready for turns. */
export interface LoreSource {
  /** Letters, digits, `_` and `-`; unique among an agent's books. */
  readonly name: string
  readonly book: Lorebook
  readonly scanner: LoreScanner
  /** The number of each entry, by which its injection is named. */
  readonly numbers: ReadonlyMap<LoreEntry, number>
}

/** Prepares a book for turns. */
export function loreSource(name: string, given: Lorebook, settings: LoreSettings): LoreSource {
  const { names: withNames, wholeWords, stayTurns, ...search } = settings
  // Each turn has two messages.
  const sticky = stayTurns === 0 ? undefined : 2 * stayTurns + 1
  const entries = given.entries.map((entry): LoreEntry => {
    const { wholeWords: own = wholeWords, sticky: ownSticky } = entry
    return { ...entry, wholeWords: own, sticky: ownSticky || sticky }
  })
  const book = { ...search, withNames, ...defined(given), entries }
  return { name, book, scanner: createLoreScanner(book), numbers: new Map(entries.map((entry, at) => [entry, at])) }
}

/** Everything that the search of a turn needs beside its books. */
export interface LoreParts {
  readonly context: BeforeTurnContext
  readonly settings: LoreSettings
  readonly character: LoreTurn["character"]
  /** The index of the greeting that the conversation shows it began with; undefined if that cannot be seen. */
  readonly greeting?: number | undefined
  /** Fills in the macros of a text. */
  fill(text: string): FilledText
}

/** Puts the entries that a turn's words call into its prompt, tells which and why (C18), and keeps since when they are in (C17). */
export function enterLore(sources: readonly LoreSource[], parts: LoreParts): void {
  const { context, settings, greeting: seen } = parts
  const { memoryOn, state, turn, turnId, warn } = context
  const known = memoryOn ? loreMemory(state.get()) : undefined
  const memory: LoreMemory = known ?? { turns: turn, books: {}, log: { before: [], aside: [] } }
  const greeting = seen ?? memory.greeting
  const scans = sources.map((source) => ({ source, scan: scanOf(source, { ...memory, greeting }, parts) }))
  const placed = scans.flatMap(({ source, scan }) => scan.entries.map((entry) => placedLore(source, entry, parts)))
  placed.sort((a, b) => a.entry.order - b.entry.order)
  const injections = loreInjections(placed, settings.place)
  for (const injection of injections.values()) context.stack.add(injection)
  const reports = scans.flatMap(({ source, scan }) => scan.reports.map((report) => ({ source, report })))
  context.explain(reports.map(({ source, report }) => decisionOf(source.name, report, injections.get(report.entry)?.key)))
  for (const { source, scan } of scans) if (scan.cut !== undefined) warn(`Lorebook ${source.name}: ${scan.cut}`)
  const leftOut = reports.filter(({ report }) => report.outcome === "room").map(({ report }) => titleOf(report.entry))
  if (leftOut.length > 0) warn(`No room for entries of the lorebook: ${leftOut.join(", ")}.`)
  if (!memoryOn || !(greeting !== undefined || sources.some(({ book }) => book.entries.some(dependsOnTime)))) return
  const books = Object.fromEntries(scans.map(({ source, scan }) => [source.name, scan.state]))
  state.set(afterTurn(turnId, memory, { books, greeting }))
}

function dependsOnTime({ sticky = 0, cooldown = 0, delay = 0, conditions }: LoreEntry): boolean {
  return sticky + cooldown + delay > 0 || conditions !== undefined
}

function scanOf({ name, book, scanner }: LoreSource, memory: LoreMemory, parts: LoreParts): LoreScan {
  const { context, settings, character, fill } = parts
  const { question, speaker, history, turnId, counter, budgetTokens } = context
  const max = book.tokenBudget ?? (budgetTokens === undefined ? undefined : Math.floor(budgetTokens * settings.budgetShare))
  const greetings = memory.greeting === undefined ? 0 : 1
  return scanner.scan({
    messages: [
      ...history.map((message) => ({ text: message.text, speaker: message.speaker.name })),
      { text: question, speaker: speaker.name },
    ],
    // Each turn before this one has a question and an answer.
    messageCount: 2 * memory.turns + greetings + 1,
    answerCount: memory.turns + greetings,
    turnCount: memory.turns + 1,
    greeting: memory.greeting,
    character,
    state: memory.books[name],
    known: context.cached(scanner, knownTexts),
    random: mulberry32(`${turnId} ${name}`),
    room: max === undefined ? undefined : { max, sizeOf: ({ text }) => counter.count(fill(text.text).text) },
    recursionText(entry) {
      const { text, hiddenKeys } = fill(entry.text.text)
      return hiddenKeys === "" ? text : `${text}\n${hiddenKeys}`
    },
  })
}

/** The text of an entry with its macros filled in. One that prints a speaker's name or words is not its author's alone. */
function placedLore({ name, numbers }: LoreSource, entry: LoreEntry, { fill, context }: LoreParts): PlacedLore {
  const filled = fill(entry.text.text)
  const { text } = filled
  return {
    entry,
    name: `${name}.${numbers.get(entry)}`,
    text: { ...entry.text, text, block: true, ...(filled.quotes && { trust: "tool" as const }) },
    stability: isSteady(entry) ? filledStability([filled], context.key.audience === "private") : undefined,
  }
}

function decisionOf(book: string, { entry, outcome, key, where }: LoreReport, injection: string | undefined): LoreDecision {
  const always = isSteady(entry) ? (true as const) : undefined
  const found = { injection, key, where: key === undefined ? undefined : (where ?? 0), always }
  return { book, entry: titleOf(entry), outcome, ...defined(found) }
}

function titleOf({ title, id }: LoreEntry): string {
  return title ?? id
}
