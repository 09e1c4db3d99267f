import { priority } from "../../core/priority.ts"
import type { Entry, Fit, Text } from "../../core/value.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import { type CharacterSheet, type CharacterTrait, sheetEntries } from "./character-sheet.ts"
import type { WorldBookEntry } from "./world-book.ts"

/** What a turn shows of a character beside who it is (S2). */
export interface CharacterTurn {
  readonly state: { readonly sheet: CharacterSheet; readonly changes: readonly CharacterTrait[] }
  readonly relationship: {
    readonly sheet: CharacterSheet
    readonly changes: readonly CharacterTrait[]
    /** Whose it is, where several speak. */
    readonly speaker?: string
  }
  readonly worldBook: readonly WorldBookEntry[]
  readonly reactionPlan?: Text
}

/** What is spoken of gives way soon after memories; who the character is to whom stays longer (S13). */
const ranks = { worldBook: 30, relationship: 55, state: 60, reactionPlan: 65 } as const

/**
 * State, relationship, world book and reaction plan as injections under the recommended keys and priorities (S2). All are of the
 * turn: kept with the session they would outlive a plugin that is taken out of the profile.
 */
export function characterInjections({ state, relationship, worldBook, reactionPlan }: CharacterTurn): readonly InjectionInput[] {
  const { speaker } = relationship
  const known = sheetEntries(relationship.sheet, relationship.changes)
  const whose: readonly Entry[] =
    speaker === undefined || known.length === 0 ? [] : [{ speaker: { text: speaker, trust: "user" } }]
  const notes = known.filter(({ note }) => note !== undefined)
  return [
    sheetItem("character.runtime_state", sheetEntries(state.sheet, state.changes), {
      priority: priority.characterState,
      rank: ranks.state,
    }),
    sheetItem("character.relationship", [...notes, ...whose, ...known.filter(({ note }) => note === undefined)], {
      priority: priority.characterRelationship,
      rank: ranks.relationship,
    }),
    {
      key: "world_book",
      content: worldBook.map(({ title = "", text }): Entry => ({ title: { text: title, trust: "author" }, text })),
      priority: priority.worldBook,
      scope: "turn",
      fit: { rank: ranks.worldBook, shrink: "entries", scores: worldBook.map((entry) => -entry.priority) },
    },
    {
      key: "character.reaction_plan",
      content: reactionPlan ?? "",
      priority: priority.reactionPlan,
      scope: "turn",
      fit: { rank: ranks.reactionPlan, shrink: "headTail" },
    },
  ]
}

function sheetItem(
  key: string,
  content: readonly Entry[],
  { priority: place, rank }: { readonly priority: number; readonly rank: number },
): InjectionInput {
  // Traits go before what explains them, and before whose they are.
  const fit: Fit = { rank, shrink: "entries", scores: content.map(({ name }) => (name === undefined ? 1 : 0)) }
  return { key, content, priority: place, scope: "turn", fit }
}
