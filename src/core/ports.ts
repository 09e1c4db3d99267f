/** Takes a piece: where it ends, in UTF-16 offsets, and its tokens. The scan stops when it returns false. */
export type PieceVisitor = (end: number, tokens: number) => boolean | undefined

/** What of a native tool a request carries and a provider counts. */
export interface CountedTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Counts tokens, synchronously; made by an async factory where it has to load first. */
export interface TokenCounter {
  /** False for an estimate. */
  readonly exact: boolean
  count(text: string): number
  /**
   * Where the tokenizer's pieces begin, as UTF-16 offsets. No token crosses a piece's end, and three promises hold, on
   * which exact counts of joined texts rest:
   *
   * 1. Nothing looks back: the pieces of `text.slice(start)`, from where a piece begins, are the text's own from there on.
   * 2. A piece alone is one piece, so a text's count is the sum of its pieces'.
   * 3. When text is appended and a piece stays as it was, all pieces before it stay too.
   */
  pieces?(text: string): Uint32Array
  /** The pieces in order, each with its tokens, as far as the visitor wants them: counting and splitting in one pass. */
  scan?(text: string, visit: PieceVisitor): void
  /** No token spans more UTF-16 units: a text that has so many for each token allowed, and more, is over without being read. */
  readonly longestToken?: number
  /** Of an estimate: its tokens before they are rounded up, so that texts can be estimated one by one and added up. */
  estimate?(text: string): number
  /** What a provider adds around messages, apart from their text, and what the schemas of native tools take. */
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

/** Makes ids that are unique within an agent. */
export interface IdGenerator {
  next(prefix: string): string
}

/** A number in [0, 1). */
export type RandomSource = () => number

/** Everything a turn takes from its surroundings. */
export interface Ports {
  readonly clock: Clock
  readonly timers: Timers
  readonly ids: IdGenerator
  readonly random: RandomSource
  readonly counter: TokenCounter
}
