/** Receives a piece: its end, as a UTF-16 offset, and its tokens. The scan stops when it returns false. */
export type PieceVisitor = (end: number, tokens: number) => boolean | undefined

/** The parts of a native tool that a request carries and a provider counts. */
export interface CountedTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Counts tokens, synchronously. A counter that has to load something is made by an async factory. */
export interface TokenCounter {
  /** False for an estimate. */
  readonly exact: boolean
  count(text: string): number
  /**
   * The starts of the tokenizer's pieces, as UTF-16 offsets. No token crosses the end of a piece. Exact counts of joined texts
   * need three more promises:
   *
   * 1. If a piece begins at `start`, the pieces of `text.slice(start)` are the pieces of `text` from there on.
   * 2. A piece by itself is one piece, so the count of a text is the sum of the counts of its pieces.
   * 3. If text is appended and a piece stays as it was, all pieces before it stay too.
   */
  pieces?(text: string): Uint32Array
  /** Gives the pieces in order, each with its tokens, until the visitor returns false. It splits and counts in one pass. */
  scan?(text: string, visit: PieceVisitor): void
  /** The UTF-16 units of the longest token. A text with more units for each allowed token is too long without being counted. */
  readonly longestToken?: number
  /** For an estimate: the tokens before they are rounded up, so that texts can be estimated one by one and added up. */
  estimate?(text: string): number
  /** The tokens that a provider adds around messages, and those of the schemas of native tools. */
  overhead?(messages: readonly { readonly role: string; readonly content: string }[], tools?: readonly CountedTool[]): number
}

/** The time, in milliseconds since 1970. */
export interface Clock {
  nowMs(): number
}

/** Timers, so that limits can be tested without waiting. `set` returns what `clear` takes. */
export interface Timers {
  set(callback: () => void, delayMs: number): unknown
  clear(handle: unknown): void
}

/** Makes ids that are unique within an agent. One for `call` has at most 40 characters, because OpenAI refuses longer ids of calls. */
export interface IdGenerator {
  next(prefix: string): string
}

/** A number in [0, 1). */
export type RandomSource = () => number

/** Everything that a turn takes from the outside world. */
export interface Ports {
  readonly clock: Clock
  readonly timers: Timers
  readonly ids: IdGenerator
  readonly random: RandomSource
  readonly counter: TokenCounter
}

/** The host's own timers. */
export const hostTimers: Timers = {
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
}

/** The host's clock, timers and randomness, and ids that are unique everywhere. */
export const hostPorts: Omit<Ports, "counter"> = {
  clock: { nowMs: () => Date.now() },
  timers: hostTimers,
  ids: { next: (prefix) => `${prefix}_${crypto.randomUUID().replaceAll("-", "")}` },
  random: Math.random,
}

/**
 * Estimates tokens from the kinds of characters and loads no vocabulary. About four ASCII characters, or two letters of another
 * alphabet, or one ideograph make a token. `exact` is false, and an assembly that is counted with it says so.
 */
export const roughCounter: TokenCounter = {
  exact: false,
  count: (text) => Math.ceil(estimate(text)),
  estimate,
}

function estimate(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x2e80) quarters += unit < 0x80 ? 1 : 2
    else quarters += unit >= 0xd800 && unit <= 0xdfff ? 3 : 4
  }
  return quarters / 4
}
