import type { Source } from "./source.ts"

/** A text that remembers who wrote it and, where it stands in a file, where. */
export interface TrustedText {
  readonly text: string
  readonly trust: Trust
  readonly source?: Source
}

/** One line of speech, one tool, one tool run, one memory: named values that an entry file prints. */
export interface SlotEntry {
  readonly [slot: string]: SlotValue
}

/** What a slot can hold. A bare string takes the trust of its injection; `false`, `""` and `[]` are empty. */
export type SlotValue = string | boolean | TrustedText | readonly SlotEntry[]

/** The role whose message an injection belongs to where the prompt does not name it; `developer` folds into `system` where a model lacks it. */
export type InjectionRole = "system" | "developer"

/** How an injection gives way when the budget is short (S13). */
export interface FitRule {
  /** What has the lowest rank shrinks first. */
  readonly rank: number
  /** Reserved: it never has fewer, and is never dropped whole. Default 0. */
  readonly minTokens?: number
  /** A ceiling that holds even when there is room. */
  readonly maxTokens?: number
  /** What is left when it shrinks: nothing, fewer entries, its head, its tail, or both ends around a notice. */
  readonly shrink: "drop" | "entries" | "head" | "tail" | "headTail"
  /** Items of one group are dropped together. */
  readonly group?: string
  /**
   * By entry, when it shrinks by entries: the lowest goes first, equal ones oldest first. Absent: oldest first, where of a
   * user's message and the model's answers to it the answers go first. An entry that `answers` goes with the one before it.
   */
  readonly scores?: readonly number[]
}

/** Keyed data for a prompt: it lands in the slot of its key, or in the prompt's rest slot (S1). */
export interface Injection {
  readonly key: string
  readonly content: SlotValue
  readonly trust: Trust
  /** Ascending order of print in the rest slot; see {@link priority}. */
  readonly priority: number
  readonly role: InjectionRole
  readonly scope: Scope
  readonly enabled: boolean
  readonly fit?: FitRule
  readonly source?: Source
}

/** True for a {@link TrustedText}, as opposed to a string, a flag or a list of entries. */
export function isText(value: SlotValue): value is TrustedText {
  return typeof value === "object" && !Array.isArray(value)
}

/** True when a slot holding `value` prints nothing: absent, `false`, blank text or no entries. */
export function isEmptyValue(value: SlotValue | undefined): boolean {
  if (value === undefined || value === false) return true
  if (value === true) return false
  if (typeof value === "string") return value.trim() === ""
  return isText(value) ? value.text.trim() === "" : value.length === 0
}

/**
 * Who wrote the characters of a text. `author` is the developer's own files and code and stands as it is;
 * everything else passes through an encoder. Descriptions from an MCP server are `tool`, recalled text is `memory`.
 */
export type Trust = "author" | "user" | "agent" | "tool" | "memory"

/** How long an injection lives (S1): `global` outlives sessions, `session` ends with its session, `turn` ends with its turn. */
export type Scope = "global" | "session" | "turn"

/**
 * How often a span changes, from rarely to always (S15). `conversation` is history: it only grows.
 */
export type Stability = "global" | "session" | "conversation" | "turn"

/** Every stability, the most stable first. */
export const stabilities = ["global", "session", "conversation", "turn"] as const satisfies readonly Stability[]

/** The less stable of the two. */
export function leastStable(a: Stability, b: Stability): Stability {
  return stabilities.indexOf(a) >= stabilities.indexOf(b) ? a : b
}

/** Recommended priorities: lower stands first (S2). */
export const priority = {
  safety: 10,
  behavior: 20,
  characterProfile: 30,
  characterState: 40,
  characterRelationship: 50,
  characterMemories: 60,
  worldBook: 65,
  knowledgeRag: 70,
  toolInstructions: 80,
  reactionPlan: 90,
  default: 100,
} as const
