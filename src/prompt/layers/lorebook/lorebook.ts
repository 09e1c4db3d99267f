import type { TrustedText } from "../../../core/value.ts"

/** A regular expression as its author wrote it, such as `/drag(on|ons)/i`. */
export interface LorePattern {
  readonly source: string
  readonly flags: string
}

/** A plain word or words, or a pattern. */
export type LoreKey = string | LorePattern

/** How secondary keys decide once a primary key occurs: any of them, not all, none, or all of them must occur. */
export type SecondaryLogic = "andAny" | "notAll" | "notAny" | "andAll"

/** The place of an entry in a prompt (C14). `depth` counts messages from the newest; `outlet` is a named slot. */
export type LorePosition =
  | { readonly at: "beforeCharacter" | "afterCharacter" | "personality" | "scenario" }
  | { readonly at: "beforeExamples" | "afterExamples" | "noteTop" | "noteBottom" }
  | { readonly at: "depth"; readonly depth: number; readonly fromStart: boolean; readonly role: "system" | "user" | "assistant" }
  | { readonly at: "outlet"; readonly name: string }

/** Conditions that hold beside the keys, from the decorators of V3 cards (C16). */
export interface LoreConditions {
  /** `always` enters without a key, `never` never does. */
  readonly force?: "always" | "never" | undefined
  /** The least number of the agent's messages. */
  readonly afterAnswers?: number | undefined
  /** The number of the agent's messages must be a multiple of it. */
  readonly everyAnswers?: number | undefined
  /** The number of the turn, from 1, must be a multiple of it. */
  readonly everyTurns?: number | undefined
  /** An entry that was in before stays in (`stay`) or stays out (`leave`). */
  readonly onceIn?: "stay" | "leave" | undefined
  /** The index of the greeting that the conversation began with. */
  readonly greeting?: number | undefined
  readonly userIcon?: string | undefined
}

/** A text that enters a prompt when its keys are mentioned (C13). Fields that are absent set no condition. */
export interface LoreEntry {
  /** Unique in its book. Timed state is kept under it. */
  readonly id: string
  readonly title?: string | undefined
  readonly text: TrustedText
  readonly keys: readonly LoreKey[]
  readonly secondary?: { readonly keys: readonly LoreKey[]; readonly logic: SecondaryLogic } | undefined
  /** Of each list one key must occur. */
  readonly required?: readonly (readonly LoreKey[])[] | undefined
  /** None of these may occur. */
  readonly excluded?: readonly LoreKey[] | undefined
  readonly caseSensitive?: boolean | undefined
  /** True if a key of letters must not begin or end inside a word. */
  readonly wholeWords?: boolean | undefined
  readonly disabled?: boolean | undefined
  /** True for an entry that needs no key. */
  readonly constant?: boolean | undefined
  /** The number of newest messages that are searched. Default: the book's. */
  readonly scanDepth?: number | undefined
  /** Lower stands earlier in the prompt. */
  readonly order: number
  /** Lower is left out earlier when there is too little room. Default 0. */
  readonly priority?: number | undefined
  /** True for an entry that is left out before all others. */
  readonly dropFirst?: boolean | undefined
  /** True for an entry that is in whatever room there is, and takes none from others. */
  readonly ignoreBudget?: boolean | undefined
  readonly position?: LorePosition | undefined
  /** The chance to enter, from 0 to 100. Default 100. */
  readonly probability?: number | undefined
  /** The number of messages for which the entry stays in, may not come in again, and may not come in from the beginning (C17). */
  readonly sticky?: number | undefined
  readonly cooldown?: number | undefined
  readonly delay?: number | undefined
  /** Of one group, one entry is in. */
  readonly groups?: readonly string[] | undefined
  /** The chance of the entry among those of its group. Default 100. */
  readonly groupWeight?: number | undefined
  /** True: the entry with the highest `order` wins its group, without chance. */
  readonly groupOverride?: boolean | undefined
  /** True: only the entries of its group with the most matching keys are drawn from. */
  readonly groupScoring?: boolean | undefined
  /** True: the text of other entries does not let it in. */
  readonly excludeRecursion?: boolean | undefined
  /** True: its text lets no other entry in. */
  readonly preventRecursion?: boolean | undefined
  /** Above 0: it is looked at once recursion has begun; higher levels are looked at later. */
  readonly delayUntilRecursion?: number | undefined
  readonly character?:
    | { readonly names: readonly string[]; readonly tags: readonly string[]; readonly exclude: boolean }
    | undefined
  readonly conditions?: LoreConditions | undefined
}

/** Entries with what holds for all of them. */
export interface Lorebook {
  readonly entries: readonly LoreEntry[]
  /** The number of newest messages that are searched. Default 2. */
  readonly scanDepth?: number | undefined
  /** True if the text of an entry that is in can let in others. */
  readonly recursive?: boolean | undefined
  /** True if of entries of one order the last of the book stands first, as SillyTavern prints them. Default: the first. */
  readonly lastFirst?: boolean | undefined
  /** The most steps of recursion. Default 10. */
  readonly maxRecursion?: number | undefined
  /** Search deeper, message by message, until so many entries are in. Default 0. */
  readonly minEntries?: number | undefined
  /** The most messages that are searched for {@link minEntries}. Default: all. */
  readonly maxDepth?: number | undefined
  /** The most tokens of all entries together. */
  readonly tokenBudget?: number | undefined
  /** True if a key without accents is found in Latin and Greek words with them, and the other way round. */
  readonly ignoreAccents?: boolean | undefined
  /** True if the names of speakers are part of the searched text. */
  readonly withNames?: boolean | undefined
}
