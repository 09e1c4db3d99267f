import type { LorePlace } from "./lore-injections.ts"

/** How lorebooks enter turns. */
export interface LoreSettings {
  readonly place: LorePlace
  /** The share of the request's tokens that a book may have if it names no number of its own (C15). */
  readonly budgetShare: number
  /** The number of further turns for which an entry stays that came in (C20). */
  readonly stayTurns: number
  /** True if the names of speakers are searched. */
  readonly names: boolean
  /** For entries and books that do not say it themselves. */
  readonly wholeWords: boolean
  /** True if accents of Latin and Greek letters make no difference to keys. */
  readonly ignoreAccents: boolean
  readonly scanDepth: number
  readonly recursive: boolean
  readonly maxRecursion: number
  readonly minEntries: number
  readonly maxDepth?: number | undefined
}

/** The settings of a profile that has none. */
export const defaultLore: LoreSettings = {
  place: "end",
  budgetShare: 0.25,
  stayTurns: 0,
  names: false,
  wholeWords: false,
  ignoreAccents: false,
  scanDepth: 2,
  recursive: false,
  maxRecursion: 10,
  minEntries: 0,
}
