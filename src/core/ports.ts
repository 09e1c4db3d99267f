/** Counts tokens, synchronously; made by an async factory where it has to load first. */
export interface TokenCounter {
  /** False for an estimate. */
  readonly exact: boolean
  count(text: string): number
  /** Where the tokenizer's pieces begin, as UTF-16 offsets. */
  pieces?(text: string): Uint32Array
  /** What a provider adds around messages, apart from their text. */
  overhead?(messages: readonly { readonly role: string; readonly content: string }[]): number
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
