import { defaultLore } from "../../prompt/layers/lorebook/lore-settings.ts"
import { choice, flag, line, lines, share, table, wholeNumber } from "../key.ts"

/** The table `[lorebook]` of a profile's file. */
export const lorebook = table({
  files: lines("./world.json", { default: [] }),
  place: choice(["end", "card"], { default: defaultLore.place }),
  budgetShare: share({ default: defaultLore.budgetShare }),
  stayTurns: wholeNumber({ min: 0, max: 1_000, default: defaultLore.stayTurns }),
  names: flag({ default: defaultLore.names }),
  wholeWords: flag({ default: defaultLore.wholeWords }),
  ignoreAccents: flag({ default: defaultLore.ignoreAccents }),
  scanDepth: wholeNumber({ min: 0, max: 1_000, default: defaultLore.scanDepth }),
  recursive: flag({ default: defaultLore.recursive }),
  maxRecursion: wholeNumber({ min: 0, max: 1_000, default: defaultLore.maxRecursion }),
  minEntries: wholeNumber({ min: 0, max: 10_000, default: defaultLore.minEntries }),
  maxDepth: wholeNumber({ min: 1, max: 10_000 }),
})

/** The table `[author_note]` of a profile's file. */
export const authorNote = table({
  text: line({
    form: { expected: "text that is not blank", pattern: String.raw`\S` },
  }),
  depth: wholeNumber({ min: 0, max: 10_000, default: 4 }),
  interval: wholeNumber({ min: 0, max: 10_000, default: 1 }),
  role: choice(["system", "user", "assistant"], { default: "system" }),
})
