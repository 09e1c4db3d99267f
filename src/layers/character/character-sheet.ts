import type { Source } from "../../core/source.ts"
import type { Entry, Text } from "../../core/value.ts"
import { fold } from "../../encode/fold.ts"
import { sanitise } from "../../encode/sanitise.ts"

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

/** How much a model may write into a sheet; lengths in code points. */
export const traitLimits = { changesPerCall: 8, traits: 24, nameLength: 40, valueLength: 200 } as const

/** What is wrong with changes: the words' name for it, what it is about, and the limit that it goes beyond. */
interface TraitFault {
  readonly fault: "no_changes" | "too_many_changes" | "too_many_names" | "bad_name" | "long_value"
  readonly about?: string
  readonly limit?: number
}

/** The changes as they are now, and which of them this was; or why nothing changed. */
type ChangedTraits =
  | {
      readonly changes: readonly CharacterTrait[]
      readonly changed: readonly CharacterTrait[]
      readonly undone: readonly string[]
    }
  | TraitFault

/**
 * Lays new values over those a model set before. A name that the sheet or an earlier change has is that one, however it is spelled;
 * an empty value takes a change back. White space is evened out, so a value is one line. All changes are made or none.
 */
export function changeTraits(
  sheet: CharacterSheet,
  before: readonly CharacterTrait[],
  patch: readonly CharacterTrait[],
): ChangedTraits {
  const { changesPerCall, traits: limit } = traitLimits
  if (patch.length === 0) return { fault: "no_changes" }
  if (patch.length > changesPerCall) return { fault: "too_many_changes", limit: changesPerCall }
  const known = [...sheet.traits, ...before].map(([name]) => name)
  const clean = patch.map(([name, value]): CharacterTrait => [spelled(onOneLine(name), known), onOneLine(value)])
  const fault = clean.map(faultOf).find((found) => found !== undefined)
  if (fault) return fault
  const changes = clean.reduce(laidOver, before)
  if (countNames(sheet, changes) > Math.max(limit, countNames(sheet, before))) return { fault: "too_many_names", limit }
  const changed = clean.filter(([, value]) => value !== "")
  const undone = clean.flatMap(([name, value]) => (value === "" && hasName(before, name) ? [name] : []))
  return changed.length + undone.length === 0 ? { fault: "no_changes" } : { changes, changed, undone }
}

/** What a model wrote as one line of visible characters. */
export function onOneLine(text: string): string {
  return sanitise(text)
    .text.replace(/[\s\u0085]+/g, " ")
    .trim()
}

/** What is wrong with one trait. */
export function faultOf([name, value]: CharacterTrait): TraitFault | undefined {
  const { nameLength, valueLength } = traitLimits
  if (name === "" || isLonger(name, nameLength)) return { fault: "bad_name", about: firstOf(name), limit: nameLength }
  return isLonger(value, valueLength) ? { fault: "long_value", about: name, limit: valueLength } : undefined
}

function spelled(name: string, known: readonly string[]): string {
  return known.find((other) => isSameName(name, other)) ?? name
}

function hasName(traits: readonly CharacterTrait[], name: string): boolean {
  return traits.some(([other]) => isSameName(name, other))
}

function laidOver(changes: readonly CharacterTrait[], [name, value]: CharacterTrait): readonly CharacterTrait[] {
  const at = changes.findIndex(([other]) => isSameName(name, other))
  if (value === "") return changes.filter((_, index) => index !== at)
  return at < 0 ? [...changes, [name, value]] : changes.with(at, [name, value])
}

function countNames({ traits }: CharacterSheet, changes: readonly CharacterTrait[]): number {
  return traits.length + changes.filter(([name]) => !hasName(traits, name)).length
}

function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  return text.length > 2 * limit || [...text].length > limit
}

function firstOf(name: string): string {
  return [...name.slice(0, 2 * traitLimits.nameLength)].slice(0, traitLimits.nameLength).join("")
}
