import { recordOf } from "../../core/json-access.ts"
import { mulberry32 } from "../../core/mulberry.ts"
import type { Card } from "../../layers/card/card.ts"
import { cardInjections } from "../../layers/card/card-injections.ts"
import { type FilledText, fillMacros, type MacroValues } from "../../layers/card/macros.ts"
import type { LoreEntry } from "../../layers/lorebook/lorebook.ts"
import { createLoreScanner, type LoreScanner } from "../../layers/lorebook/scan.ts"
import { loreState } from "../../layers/lorebook/timed.ts"
import type { BeforeTurnContext, TurnHook } from "../../services/turn-hook.ts"

interface CardLook {
  /** The character's name. */
  readonly name: string
  readonly locale: string
}

/**
 * The hook of a card: it puts personality, scenario, example dialogues and the lore that the conversation mentions into each turn. Macros
 * are filled in for the turn's speaker. Since when lore is in is kept with the session while its memory is on (C17).
 */
export function cardHook(card: Card, look: CardLook): TurnHook {
  const scanner = createLoreScanner(card.book ?? { entries: [] })
  return {
    name: "card",
    beforeTurn(context) {
      const values = valuesOf(context, look)
      const filled = new Map<string, FilledText>()
      const fill = (text: string): FilledText => {
        const known = filled.get(text) ?? fillMacros(text, values)
        filled.set(text, known)
        return known
      }
      const lore = card.book === undefined ? [] : loreOf(card, { context, scanner, fill })
      for (const injection of cardInjections({ card, lore, fill: (text) => fill(text).text })) context.stack.add(injection)
    },
  }
}

function valuesOf(context: BeforeTurnContext, { name, locale }: CardLook): MacroValues {
  const { speaker, history, startedMs, turnId, key } = context
  const last = history.at(-1)
  return {
    char: name,
    user: speaker.name,
    lastMessage: last?.text,
    nowMs: startedMs,
    idleMs: last === undefined ? undefined : Math.max(0, startedMs - last.atMs),
    locale,
    random: mulberry32(turnId),
    pick: (place) => mulberry32(`${key.conversation} ${place}`)(),
  }
}

interface LoreParts {
  readonly context: BeforeTurnContext
  readonly scanner: LoreScanner
  fill(text: string): FilledText
}

function loreOf({ book, tags, name }: Card, { context, scanner, fill }: LoreParts): readonly LoreEntry[] {
  const { question, speaker, history, turn, turnId, counter, memoryOn, state: kept, warn } = context
  const before = memoryOn ? loreState(recordOf(kept.get()).lore) : {}
  const { entries, reports, state } = scanner.scan({
    messages: [
      ...history.map((message) => ({ text: message.text, speaker: message.speaker.name })),
      { text: question, speaker: speaker.name },
    ],
    // Each turn before this one has a question and an answer, and the greeting stood before them.
    messageCount: 2 * turn + 2,
    answerCount: turn + 1,
    greeting: 0,
    character: { name, tags },
    state: before,
    random: mulberry32(`${turnId} lore`),
    room:
      book?.tokenBudget === undefined
        ? undefined
        : { max: book.tokenBudget, sizeOf: ({ text }) => counter.count(fill(text.text).text) },
    recursionText(entry) {
      const { text, hiddenKeys } = fill(entry.text.text)
      return hiddenKeys === "" ? text : `${text}\n${hiddenKeys}`
    },
  })
  const leftOut = reports.filter(({ outcome }) => outcome === "room")
  if (leftOut.length > 0)
    warn(`No room for entries of the card's lorebook: ${leftOut.map(({ entry }) => entry.title ?? entry.id).join(", ")}.`)
  if (memoryOn && JSON.stringify(state) !== JSON.stringify(before)) kept.set({ lore: state })
  return entries
}
