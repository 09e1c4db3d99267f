import { type FitRule, priority, type SlotEntry, type TrustedText } from "../../../core/value.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import type { LoreEntry } from "../lorebook/lorebook.ts"
import { type CharacterSheet, type CharacterTrait, sheetEntries } from "./character-sheet.ts"

/** A turn's view of a character: everything except its fixed description (S2). */
export interface CharacterTurn {
  readonly state: { readonly sheet: CharacterSheet; readonly changes: readonly CharacterTrait[] }
  readonly relationship: {
    readonly sheet: CharacterSheet
    readonly changes: readonly CharacterTrait[]
    /** The name of the speaker, if several people speak. */
    readonly speaker?: string | undefined
  }
  readonly worldBook: readonly LoreEntry[]
  readonly reactionPlan?: TrustedText | undefined
}

/** Ranks for cuts (S13): the world book is cut soon after memories; relationship, state and plan stay longer. */
const ranks = { worldBook: 30, relationship: 55, state: 60, reactionPlan: 65 } as const

/**
 * State, relationship, world book and reaction plan as injections under the recommended keys and priorities (S2). All have the scope
 * `turn`: with the scope `session` they would stay after the plugin is removed from the profile. Only the plan never changes in a session.
 */
export function characterInjections({ state, relationship, worldBook, reactionPlan }: CharacterTurn): readonly InjectionInput[] {
  const known = sheetEntries(relationship.sheet, relationship.changes)
  const whose: readonly SlotEntry[] =
    relationship.speaker === undefined || known.length === 0 ? [] : [{ speaker: { text: relationship.speaker, trust: "user" } }]
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
      content: worldBook.map(({ title = "", text }): SlotEntry => ({ title: { text: title, trust: "author" }, text })),
      priority: priority.worldBook,
      scope: "turn",
      fit: { rank: ranks.worldBook, shrink: "entries", scores: worldBook.map((entry) => -entry.order) },
    },
    {
      key: "character.reaction_plan",
      content: reactionPlan ?? "",
      priority: priority.reactionPlan,
      scope: "turn",
      stability: "session",
      fit: { rank: ranks.reactionPlan, shrink: "headTail" },
    },
  ]
}

function sheetItem(
  key: string,
  content: readonly SlotEntry[],
  { priority: place, rank }: { readonly priority: number; readonly rank: number },
): InjectionInput {
  // Traits are cut before the note that explains them and before the speaker's name.
  const fit: FitRule = { rank, shrink: "entries", scores: content.map(({ name }) => (name === undefined ? 1 : 0)) }
  return { key, content, priority: place, scope: "turn", fit }
}
