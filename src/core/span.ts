import type { Attachment } from "./conversation.ts"
import type { Source } from "./source.ts"
import type { Stability, TextPart, Trust } from "./value.ts"

/** A run of characters of one origin. Joined, the spans of a message are its content (S12). */
export interface Span {
  readonly text: string
  /** Index into the assembly's messages. */
  readonly message: number
  /** The key of the injection; for a placeholder, the name of its slot; `""` for the prompt file's own text. */
  readonly key: string
  /** `frame` is text of the prompt file, `content` is a value, `notice` stands in place of what was cut. */
  readonly part: "frame" | "content" | "notice"
  readonly trust: Trust
  readonly stability: Stability
  readonly source?: Source
  /** Pictures, recordings and files that the model gets behind the span. */
  readonly parts?: readonly TextPart[]
  /**
   * The tokens by which the message grows with this span, so that the spans of a message sum to its tokens. A token that crosses
   * the seam of two spans belongs to the one in which it begins. If later text joins tokens of a span, the span has fewer. Those of `parts` are among them.
   */
  readonly tokens: number
}

/** Runs of neighbouring spans with the same key in one message, in order. */
export function spanRuns(spans: readonly Span[]): readonly (readonly [Span, ...Span[]])[] {
  const runs: [Span, ...Span[]][] = []
  for (const span of spans) {
    const run = runs.at(-1)
    if (run && run[0].key === span.key && run[0].message === span.message) run.push(span)
    else runs.push([span])
  }
  return runs
}

/** The beginning of a request in which no span changes more often than `stability`. A provider's cache can serve it. */
export interface Prefix {
  readonly stability: Stability
  /** Index of the message in which the prefix ends. */
  readonly message: number
  /** UTF-16 offset in that message's content. */
  readonly end: number
  /** Tokens of all contents before the end, as the counter counts that text. */
  readonly tokens: number
  /** Equal fingerprints stand for equal text, roles and calls, in equal order, before the end. */
  readonly fingerprint: string
}

/** The fate of one injection, and the reason. */
export interface FitDecision {
  readonly key: string
  readonly fate: "kept" | "shortened" | "dropped" | "unplaced"
  readonly fromTokens: number
  readonly toTokens: number
  readonly reason: string
}

/**
 * By key, the part that is left of each shrunk injection. The first step of a turn decides it. Later steps cut the same, so that
 * their requests extend the first one.
 */
export interface CutRecord {
  readonly [key: string]: CutSize
}

/**
 * The part of an injection that is left: nothing (`dropped`), a number of entries (`of` as many as the list had then, because it can grow
 * later), or at most a number of UTF-16 units (`characters`).
 */
export type CutSize =
  | { readonly dropped: true }
  | { readonly entries: number; readonly of?: number }
  | { readonly characters: number }

/**
 * Why a later step of a turn had to cut more than its first step decided, or its first step more of what stays from turn to turn than
 * was decided without the question. The provider's cache then misses.
 */
export interface PrefixMoved {
  /** The key of the first injection that was cut further. */
  readonly key: string
  readonly reason: string
}

/** The part of a budget that a request leaves free, because its history is cut in steps. */
export interface WindowRoom {
  readonly budgetTokens: number
  readonly freeTokens: number
  /** Those of them that are kept for later requests of the turn. */
  readonly reservedTokens: number
  readonly reason: string
}

/**
 * An assembled request. It is plain JSON, so it can be stored, compared and shown. `spans`, `prefixes`, `decisions` and `cut` are
 * made when they are first read, also by a copy or as JSON, because few read them and they count what the request itself does not need.
 */
export interface Assembly {
  readonly version: 1
  readonly messages: readonly Message[]
  readonly spans: readonly Span[]
  /** Tokens of the contents of all messages. */
  readonly tokens: number
  /** Tokens that the provider adds around the messages, and those of native tools and calls. */
  readonly overheadTokens: number
  /** False when the counter estimates, and for a request with native calls or with pictures and files, whose tokens are always estimated. */
  readonly exact: boolean
  readonly prefixes: readonly Prefix[]
  readonly decisions: readonly FitDecision[]
  readonly cut: CutRecord
  /** Set if more was cut than `options.cut` says, other than this turn's own tool results. */
  readonly prefixMoved?: PrefixMoved | undefined
  /** Set if history was cut in steps and a part of the budget is free. */
  readonly windowRoom?: WindowRoom | undefined
  /** Characters that sanitising removed from untrusted text. */
  readonly sanitised: readonly RemovalReport[]
  /** The entries of lorebooks that the turn looked at, in its first request. */
  readonly lore?: readonly LoreDecision[]
}

/** An entry of a lorebook that a turn looked at: it entered, or the reason why not (C18). */
export interface LoreDecision {
  /** `card`, or the name of a lorebook's file. */
  readonly book: string
  /** The entry's title, else its id. */
  readonly entry: string
  /** `in`, or what kept it out, such as `cooldown` or `probability`. */
  readonly outcome: string
  /** The key of its injection, if it is in. */
  readonly injection?: string
  /** True for an entry that is in at every turn, whose place therefore costs nothing. */
  readonly always?: true
  /** The primary key that occurred. */
  readonly key?: string
  /** The message in which it occurred: 0 is the newest; `lore` means the text of another entry. */
  readonly where?: number | "lore"
}

/** Characters that were removed from an injection's untrusted text. */
interface RemovalReport {
  readonly key: string
  readonly removed: number
  /** Their kinds: `tags`, `bidi`, `control`, `surrogate`. */
  readonly kinds: readonly string[]
}

/** The speaker of a message in a request to a model. */
export type MessageRole = "system" | "developer" | "user" | "assistant" | "tool"

/** A native tool call of an assistant message; `args` is JSON text as the model wrote it. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: string
  /**
   * Data of the provider, such as the signature of a thought, that its adapter sends back with the call. Plain JSON. It is kept with
   * the run in history (T29), unless it is an object with `turnOnly: true`. The adapter sends it to the provider that it came from alone.
   */
  readonly providerData?: unknown
}

/** A picture, a recording or a file in a message of a request. */
export interface MessagePart {
  /** The UTF-16 offset in the message's content behind which it stands. */
  readonly end: number
  readonly attachment: Attachment
  /** The bytes of an attachment with `blob`. Present in a request to a model, never in an assembly. */
  readonly bytes?: Uint8Array
}

/** One message of a request. */
export interface Message {
  readonly role: MessageRole
  readonly content: string
  /** Pictures, recordings and files between the characters of `content`, in order. */
  readonly parts?: readonly MessagePart[]
  readonly toolCalls?: readonly ToolCall[] | undefined
  readonly toolCallId?: string | undefined
}
