import type { Source } from "../../../core/source.ts"
import type { SlotEntry, TrustedText } from "../../../core/value.ts"
import { fold } from "../../encode/fold.ts"
import { onOneLine } from "../../encode/line-breaks.ts"
import { sanitise } from "../../encode/sanitise.ts"

/** A name and its current value, such as `mood` and `calm`; each is one line. */
export type CharacterTrait = readonly [name: string, value: string]

/** An author's description of a character's state or relationships at the beginning. */
export interface CharacterSheet {
  /** Text above the traits, which a model cannot change. */
  readonly note?: TrustedText
  readonly traits: readonly CharacterTrait[]
  /** The place where the traits are written. */
  readonly source?: Source
}

export const emptySheet: CharacterSheet = { traits: [] }

/** True for two spellings of one name: they may differ in case, width, accents and invisible characters. */
export function isSameName(one: string, other: string): boolean {
  return fold(one) === fold(other)
}

/**
 * The entries of a sheet: the note, the author's traits with the values that the model gave them, then the traits that the model
 * added. The model's words have the trust `agent`, so they are encoded.
 */
export function sheetEntries({ note, traits, source }: CharacterSheet, changes: readonly CharacterTrait[]): readonly SlotEntry[] {
  const author = (text: string): TrustedText => ({ text, trust: "author", source })
  const changed = traits.map(([name, initial]): SlotEntry => {
    const change = changes.find(([other]) => isSameName(name, other))
    return { name: author(name), value: change ? agent(change[1]) : author(initial) }
  })
  const own = changes.filter(([name]) => !traits.some(([other]) => isSameName(name, other)))
  return [
    ...(note && note.text.trim() !== "" ? [{ note }] : []),
    ...changed,
    ...own.map(([name, value]): SlotEntry => ({ name: agent(name), value: agent(value) })),
  ]
}

function agent(text: string): TrustedText {
  return { text, trust: "agent" }
}

/** Limits for what a model may write into a sheet. Lengths are in code points. */
export const traitLimits = { changesPerCall: 8, traits: 24, nameLength: 40, valueLength: 200 } as const

/** A fault in a model's changes: its name in the prompts, the trait it is about, and the limit that was exceeded. */
interface TraitFault {
  readonly fault: "no_changes" | "too_many_changes" | "too_many_names" | "bad_name" | "long_value"
  readonly about?: string
  readonly limit?: number
}

/** All changes as they are now, with the names that were changed and undone by this call; or the fault because of which nothing changed. */
type ChangedTraits =
  | {
      readonly changes: readonly CharacterTrait[]
      readonly changed: readonly CharacterTrait[]
      readonly undone: readonly string[]
    }
  | TraitFault

/**
 * Applies a model's new values to its earlier ones. A name matches a name of the sheet or of an earlier change in any spelling. An empty
 * value takes a change back. White space is collapsed, so a value is one line. Either all changes are made or none.
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
  const clean = patch.map(([name, value]): CharacterTrait => [spelled(cleanLine(name), known), cleanLine(value)])
  const fault = clean.map(faultOf).find((found) => found !== undefined)
  if (fault) return fault
  const changes = clean.reduce(applied, before)
  if (countNames(sheet, changes) > Math.max(limit, countNames(sheet, before))) return { fault: "too_many_names", limit }
  const changed = clean.filter(([, value]) => value !== "")
  const undone = clean.flatMap(([name, value]) => (value === "" && hasName(before, name) ? [name] : []))
  return changed.length + undone.length === 0 ? { fault: "no_changes" } : { changes, changed, undone }
}

/** A text as one line of visible characters. */
export function cleanLine(text: string): string {
  return onOneLine(sanitise(text).text)
}

/** The fault of one trait; undefined if it has none. */
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

function applied(changes: readonly CharacterTrait[], [name, value]: CharacterTrait): readonly CharacterTrait[] {
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
