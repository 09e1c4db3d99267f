import type { Timers } from "../../../core/ports.ts"

/** One rule of a service's contract, for any test runner. */
export interface ServiceCheck {
  readonly name: string
  /** Rejects with code `test` where the rule is broken. */
  run(): Promise<void>
}

/** What a suite opened; `close` is called once its check has ended. */
export interface Opened<T> {
  readonly service: T
  close?(): Promise<void>
}

/** Settings of a suite. */
export interface ServiceConformanceOptions {
  /** How long a check may wait for something to happen before that counts as never. Default 20,000. */
  readonly limitMs?: number
  readonly timers?: Timers
}

/** What a check works with. */
export interface Scene<T> {
  readonly service: T
  /** An agent's id that no other check uses, so that a suite can share one database. */
  readonly agent: string
  /** Settles once the condition holds, looking every few milliseconds; fails past the suite's limit. */
  until(condition: () => boolean | Promise<boolean>, what: string): Promise<void>
}

/** A rule as a suite keeps it. */
export interface Rule<T> {
  readonly name: string
  verify(scene: Scene<T>): Promise<void>
}
