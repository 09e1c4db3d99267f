import type { Text } from "../../core/value.ts"
import { characterInjections } from "../../layers/character/character-injections.ts"
import { characterMemory, relationshipWith, withRelationship } from "../../layers/character/character-memory.ts"
import { type CharacterSheet, emptySheet } from "../../layers/character/character-sheet.ts"
import type { WorldBook, WorldBookEntry } from "../../layers/character/world-book.ts"
import type { BeforeTurnContext, TurnHook } from "../../services/turn-hook.ts"
import type { Tool } from "../../tools/tool.ts"
import type { ToolWords } from "../../tools/tool-words.ts"
import { updateTool } from "./update-tool.ts"

/** What a character is made of beside its persona. */
export interface CharacterParts {
  /** Absent: nothing is shown of it, and the model cannot change it. */
  readonly state?: CharacterSheet
  /** With whoever speaks, before anything has happened; absent as above. */
  readonly relationship?: CharacterSheet
  readonly reactionPlan?: Text
  readonly worldBook?: {
    readonly book: WorldBook
    readonly maxEntries: number
    readonly maxCharacters: number
    /** How many messages before the question are looked through. */
    readonly messages: number
  }
  readonly words: Readonly<Record<"update_state" | "update_relationship", ToolWords>>
}

/**
 * The hook of the plugin `character`: puts state, relationship with the turn's speaker, world book and reaction plan into the turn,
 * and adds the tools that change the first two. What the model changed lives in the session's state; with memory off it is neither
 * shown nor changed (D2).
 */
export function characterHook(parts: CharacterParts): TurnHook {
  const { state = emptySheet, relationship = emptySheet, reactionPlan } = parts
  return {
    name: "character",
    beforeTurn(context) {
      const { speaker, key, stack } = context
      const memory = characterMemory(context.memoryOn ? context.state.get() : undefined)
      const injections = characterInjections({
        state: { sheet: state, changes: parts.state ? memory.state : [] },
        relationship: {
          sheet: relationship,
          changes: parts.relationship ? relationshipWith(memory, speaker.id) : [],
          ...(key.audience === "group" ? { speaker: speaker.name } : {}),
        },
        worldBook: entriesFor(parts, context),
        ...(reactionPlan ? { reactionPlan } : {}),
      })
      for (const injection of injections) stack.add(injection)
      if (context.memoryOn) context.addTools(updateTools(parts, context))
    },
  }
}

function entriesFor({ worldBook }: CharacterParts, { question, history, warn }: BeforeTurnContext): readonly WorldBookEntry[] {
  if (worldBook === undefined) return []
  const { book, messages, maxEntries, maxCharacters } = worldBook
  const recent = messages === 0 ? [] : history.slice(-messages).map(({ text }) => text)
  const { entries, leftOut } = book({ texts: [question, ...recent], maxEntries, maxCharacters })
  if (leftOut.length > 0) warn(`No room for entries of the world book: ${leftOut.map(nameOf).join(", ")}.`)
  return entries
}

function nameOf({ title, keys: [key], text: { source } }: WorldBookEntry): string {
  return title ?? key ?? `${source?.file}:${source?.line}`
}

/** The state is asked anew at each call, as an earlier one of the turn may have changed it. */
function updateTools(
  { state, relationship, words }: CharacterParts,
  { state: kept, speaker: { id } }: BeforeTurnContext,
): Tool[] {
  const now = () => characterMemory(kept.get())
  const stateTool = (sheet: CharacterSheet) =>
    updateTool({
      name: "update_state",
      words: words.update_state,
      sheet,
      read: () => now().state,
      write: (changes) => kept.set({ ...now(), state: changes }),
    })
  const relationshipTool = (sheet: CharacterSheet) =>
    updateTool({
      name: "update_relationship",
      words: words.update_relationship,
      sheet,
      read: () => relationshipWith(now(), id),
      write: (changes) => kept.set(withRelationship(now(), id, changes)),
    })
  return [...(state ? [stateTool(state)] : []), ...(relationship ? [relationshipTool(relationship)] : [])]
}
