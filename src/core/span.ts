import type { Message } from "./message.ts"
import type { Source } from "./source.ts"
import type { Stability, Trust } from "./value.ts"

/** A run of characters of one origin. A message's spans tile its content: joined, they are the content (S12). */
export interface Span {
  readonly text: string
  /** Index into the assembly's messages. */
  readonly message: number
  /** The injection's key, for a placeholder that of its slot; `""` for the rest of the prompt file's own frame. */
  readonly key: string
  /** `frame` is the prompt file's text, `content` a value, `notice` what truncation put in. */
  readonly part: "frame" | "content" | "notice"
  readonly trust: Trust
  readonly stability: Stability
  readonly source?: Source
  /**
   * By how much the message's count grows with it, so that a message's spans sum to its tokens: a token that crosses the
   * seam of two spans belongs to the one it begins in. Where later text makes fewer tokens of a span, it has those fewer.
   */
  readonly tokens: number
}

/** Where the spans up to a stability end: a provider's cache can serve everything before it. */
export interface Prefix {
  readonly stability: Stability
  /** Index of the message in which the prefix ends. */
  readonly message: number
  /** UTF-16 offset in that message's content. */
  readonly end: number
  /** Of all contents before the end: what the counter says of that text. */
  readonly tokens: number
  /** Equal for equal text, roles and order of everything before the end. */
  readonly fingerprint: string
}

/** What happened to one injection and why. */
export interface FitDecision {
  readonly key: string
  readonly fate: "kept" | "shortened" | "dropped" | "unplaced"
  readonly fromTokens: number
  readonly toTokens: number
  readonly reason: string
}

/** Cuts of a turn's first step: what is left of each shrunk injection. Later steps cut the same, so that their requests extend the first. */
export interface CutRecord {
  readonly [key: string]: CutSize
}

/**
 * `dropped`, how many of the last entries are left (`of` so many then, as a list can grow meanwhile), or how many UTF-16
 * units of a text at most.
 */
export type CutSize =
  | { readonly dropped: true }
  | { readonly entries: number; readonly of?: number }
  | { readonly characters: number }

/** Why a later step of a turn could not keep what its first step decided, so that the provider's cache breaks. */
export interface PrefixMoved {
  /** The first injection that had to give more. */
  readonly key: string
  readonly reason: string
}

/** A request, assembled: plain JSON, so it can be stored, compared and shown. */
export interface Assembly {
  readonly version: 1
  readonly messages: readonly Message[]
  readonly spans: readonly Span[]
  /** Of all messages' contents. */
  readonly tokens: number
  /** What the provider adds around them. */
  readonly overheadTokens: number
  /** False when the counter estimates. */
  readonly exact: boolean
  readonly prefixes: readonly Prefix[]
  readonly decisions: readonly FitDecision[]
  readonly cut: CutRecord
  /** Set when more was cut than `options.cut` said, and not of this turn's own tool results. */
  readonly prefixMoved?: PrefixMoved
  /** What sanitising took out of untrusted text. */
  readonly sanitised: readonly Sanitised[]
}

/** Characters removed from an injection's untrusted text. */
export interface Sanitised {
  readonly key: string
  readonly removed: number
  /** Which kinds: `tags`, `bidi`, `control`, `surrogate`. */
  readonly kinds: readonly string[]
}
