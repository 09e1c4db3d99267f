import type { Attachment } from "./conversation.ts"
import type { Source } from "./source.ts"

/** A text with its trust, which says who wrote it, and its place, if it stands in a file. */
export interface TrustedText {
  readonly text: string
  readonly trust: Trust
  readonly source?: Source | undefined
  /** Pictures, recordings and files that a model gets behind the text. */
  readonly parts?: readonly TextPart[]
  /** True for a text with forms of its own, such as a card's field: where lines of it would be marked, it stands in a fence instead. */
  readonly block?: true | undefined
}

/** A picture, recording or file behind a text, with an estimate of the tokens that it takes. */
export interface TextPart {
  readonly attachment: Attachment
  readonly tokens: number
}

/** Named values that an entry file prints: a line of speech, a tool, a tool run, a memory. */
export interface SlotEntry {
  readonly [slot: string]: SlotValue
}

/** The content of a slot. A bare string has the trust of its injection. `false`, `""` and `[]` are empty. */
export type SlotValue = string | boolean | TrustedText | readonly SlotEntry[]

/** The role of the message for an injection without a slot of its own. `developer` becomes `system` if the model lacks it. */
export type InjectionRole = "system" | "developer"

/** How an injection shrinks when the budget is short (S13). */
export interface FitRule {
  /** The lowest rank shrinks first. */
  readonly rank: number
  /** Reserved tokens: it never has fewer. If this is above 0, it is never dropped whole. Default 0. */
  readonly minTokens?: number
  /** The most tokens it may have, even when there is room. */
  readonly maxTokens?: number
  /** The part that is left when it shrinks: nothing (`drop`), fewer entries, its head, its tail, or both ends around a notice. */
  readonly shrink: "drop" | "entries" | "head" | "tail" | "headTail"
  /** Items of one group are dropped together. */
  readonly group?: string
  /**
   * Scores of the entries, for `shrink: "entries"`: the lowest is dropped first, equal ones oldest first. Without scores, the
   * oldest is dropped first, but the model's answers before the user's message that they answer. An entry that `answers` is
   * dropped together with the one before it.
   */
  readonly scores?: readonly number[]
}

/** Keyed data for a prompt. It is printed in the slot of its key, else in the prompt's rest slot (S1). */
export interface Injection {
  readonly key: string
  readonly content: SlotValue
  readonly trust: Trust
  /** The order in the rest slot, ascending; see {@link priority}. */
  readonly priority: number
  readonly role: InjectionRole
  readonly scope: Scope
  /** `session` for a turn item that a hook adds to each turn anew and that rarely changes, so that a provider can cache it. Default: its scope. */
  readonly stability?: "session" | undefined
  readonly enabled: boolean
  readonly fit?: FitRule
  readonly source?: Source | undefined
}

/** True for a {@link TrustedText}; false for a string, a flag or a list of entries. */
export function isText(value: SlotValue): value is TrustedText {
  return typeof value === "object" && !Array.isArray(value)
}

/** True for a value that prints nothing: absent, `false`, blank text or no entries. */
export function isEmptyValue(value: SlotValue | undefined): boolean {
  if (value === undefined || value === false) return true
  if (value === true) return false
  if (typeof value === "string") return value.trim() === ""
  return isText(value) ? value.text.trim() === "" : value.length === 0
}

/**
 * The writer of a text. `author` means the developer's own files and code; such text is printed as it is. Other text passes
 * through an encoder. Descriptions from an MCP server are `tool`, recalled text is `memory`.
 */
export type Trust = "author" | "user" | "agent" | "tool" | "memory"

/** The lifetime of an injection (S1): `global` outlives sessions, `session` ends with its session, `turn` with its turn. */
export type Scope = "global" | "session" | "turn"

/** How often a span changes, from never to in every turn (S15). `conversation` is for history, which only grows. */
export type Stability = "global" | "session" | "conversation" | "turn"

/** Every stability, the most stable first. */
export const stabilities = ["global", "session", "conversation", "turn"] as const satisfies readonly Stability[]

/** How often an injection changes. */
export function stabilityOf({ scope, stability }: Pick<Injection, "scope" | "stability">): Stability {
  return stability ?? scope
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

/** An object of which members that may be undefined may be absent, and are never undefined. */
type DefinedMembers<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Leaves out members that are undefined, for records that are stored or compared: there a member is absent. */
export function defined<const T extends object>(given: T): DefinedMembers<T> {
  const made: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) if (value !== undefined) made[name] = value
  return made as DefinedMembers<T>
}

/** Returns the list, or undefined for an empty one. */
export function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}
