import type { Source } from "../../core/source.ts"
import type { Entry, Text } from "../../core/value.ts"
import { fold } from "../../encode/fold.ts"

/** A name and what holds for it now, such as mood: calm; each on one line. */
export type CharacterTrait = readonly [name: string, value: string]

/** What an author says of a character's state or of its relationships, before anything has happened. */
export interface CharacterSheet {
  /** Words that stand above the traits and that nobody changes. */
  readonly note?: Text
  readonly traits: readonly CharacterTrait[]
  /** Where the traits stand. */
  readonly source?: Source
}

/** A sheet that says nothing. */
export const emptySheet: CharacterSheet = { traits: [] }

/** True for two spellings of one name: case, width, accents and invisible characters make no other. */
export function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

/**
 * A sheet as entries of its injection: the note, the author's traits with what the model made of them, then the traits that are the
 * model's own. Each part is of whoever wrote it, so the model's words are encoded.
 */
export function sheetEntries({ note, traits, source }: CharacterSheet, changes: readonly CharacterTrait[]): readonly Entry[] {
  const author = (text: string): Text => ({ text, trust: "author", ...(source ? { source } : {}) })
  const changed = traits.map(([name, initial]): Entry => {
    const change = changes.find(([other]) => isSameName(name, other))
    return { name: author(name), value: change ? agent(change[1]) : author(initial) }
  })
  const own = changes.filter(([name]) => !traits.some(([other]) => isSameName(name, other)))
  return [
    ...(note && note.text.trim() !== "" ? [{ note }] : []),
    ...changed,
    ...own.map(([name, value]): Entry => ({ name: agent(name), value: agent(value) })),
  ]
}

function agent(text: string): Text {
  return { text, trust: "agent" }
}
