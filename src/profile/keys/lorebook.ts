import { defaultLore } from "../../prompt/layers/lorebook/lore-settings.ts"
import { choice, flag, line, lines, share, table, wholeNumber } from "../key.ts"

/** The table `[lorebook]` of a profile's file. */
export const lorebook = table("Lorebooks: texts that enter a prompt when they are mentioned.", {
  files: lines("./world.json", {
    default: [],
    words:
      "Lorebooks beside that of a card: JSON of a V3 lorebook or of SillyTavern, a Markdown file or a folder of such files. Relative to this file.",
  }),
  place: choice(["end", "card"], {
    default: defaultLore.place,
    words:
      '"end": behind the history, so that a provider can cache what stands before; entries that are always in keep their own place. "card": each entry where its author put it, also inside the history.',
  }),
  budgetShare: share({
    default: defaultLore.budgetShare,
    words:
      "The share of a request's tokens that a lorebook may have if it names no number of tokens itself. Without a budget there is no limit.",
  }),
  stayTurns: wholeNumber({
    min: 0,
    max: 1_000,
    default: defaultLore.stayTurns,
    words: "The number of further turns for which an entry stays once it is in.",
  }),
  names: flag({ default: defaultLore.names, words: "With true, the names of speakers are searched for keys too." }),
  wholeWords: flag({
    default: defaultLore.wholeWords,
    words: "With true, keys of letters match whole words only, in entries that do not say it themselves.",
  }),
  ignoreAccents: flag({
    default: defaultLore.ignoreAccents,
    words: "With true, accents of Latin and Greek letters make no difference to keys: `cafe` is found in `café`.",
  }),
  scanDepth: wholeNumber({
    min: 0,
    max: 1_000,
    default: defaultLore.scanDepth,
    words: "The number of newest messages that are searched, for lorebooks that do not say it themselves.",
  }),
  recursive: flag({
    default: defaultLore.recursive,
    words: "With true, the text of an entry can let in others, for lorebooks that do not say it themselves.",
  }),
  maxRecursion: wholeNumber({
    min: 0,
    max: 1_000,
    default: defaultLore.maxRecursion,
    words: "The most steps of recursion, in which the text of entries lets in others.",
  }),
  minEntries: wholeNumber({
    min: 0,
    max: 10_000,
    default: defaultLore.minEntries,
    words: "Search deeper in the history, message by message, until so many entries are in.",
  }),
  maxDepth: wholeNumber({
    min: 1,
    max: 10_000,
    words: "The most messages that are searched for `min_entries`.",
    otherwise: "all",
  }),
})

/** The table `[author_note]` of a profile's file. */
export const authorNote = table("The author's note: words that the model is reminded of in the midst of the conversation.", {
  text: line({
    form: { expected: "text that is not blank", pattern: String.raw`\S` },
    otherwise: "none",
    words: "The note. Macros of character cards, such as {{char}}, are filled in.",
  }),
  depth: wholeNumber({
    min: 0,
    max: 10_000,
    default: 4,
    words: "The number of messages behind it: at 0 it stands behind the newest one.",
  }),
  interval: wholeNumber({
    min: 0,
    max: 10_000,
    default: 1,
    words: "The note is in each turn of the conversation whose number is a multiple of it. With 0 it is in none.",
  }),
  role: choice(["system", "user", "assistant"], { default: "system", words: "Whose message the note is." }),
})
