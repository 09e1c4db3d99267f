import { hostTimers } from "../../../core/host-timers.ts"
import type { Timers } from "../../../core/ports.ts"
import { claim } from "../claims.ts"

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

const lookEveryMs = 5

/** Rules as checks: each opens the service anew and closes it again. */
export function runRules<T>(
  suite: string,
  rules: readonly Rule<T>[],
  open: () => Promise<Opened<T>>,
  { limitMs = 20_000, timers = hostTimers }: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  const pause = (): Promise<void> => new Promise((resolve) => timers.set(resolve, lookEveryMs))
  async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let waitedMs = 0; !(await condition()); waitedMs += lookEveryMs) {
      claim(waitedMs < limitMs, what, `not so after ${limitMs} ms`)
      await pause()
    }
  }
  return rules.map(({ name, verify }) => ({
    name,
    async run() {
      const { service, close } = await open()
      try {
        await verify({ service, agent: `${suite}: ${name}`, until })
      } finally {
        await close?.()
      }
    },
  }))
}
