import { checkOptions } from "../../../core/check-options.ts"
import type { ServiceKey } from "../../../core/conversation.ts"
import { hostTimers, type Timers } from "../../../core/ports.ts"
import { claim } from "../claims.ts"
import { keyOf } from "./samples.ts"

/** A rule that every implementation of a service keeps, as a test. */
export interface ServiceCheck {
  readonly name: string
  /** Rejects with code `test` if the service breaks the rule. */
  run(): Promise<void>
}

/** An opened service. The suite calls `close` when the check has ended. */
export interface OpenedService<T> {
  readonly service: T
  close?(): Promise<void>
}

/** Settings of a suite. */
export interface ServiceConformanceOptions {
  /** A check fails if it waits longer than this for something to happen. Default 20,000. */
  readonly limitMs?: number
  readonly timers?: Timers
}

/** The parameters of a rule. */
export interface Scene<T> {
  readonly service: T
  /** The id of an agent that no other check uses, so that a suite can run on one database. */
  readonly agent: string
  /** The private conversation `talk` of the user `ann`. */
  readonly key: ServiceKey
  /** The same user in the group `club`. */
  readonly group: ServiceKey
  /** Tests the condition every few milliseconds and resolves when it holds. Rejects after the suite's `limitMs`. */
  until(condition: () => boolean | Promise<boolean>, what: string): Promise<void>
}

/** The rules of a suite by name. */
export type Rules<T> = Readonly<Record<string, (scene: Scene<T>) => Promise<void>>>

const lookEveryMs = 5

/** Makes a check of each rule. Each check opens the service anew and closes it again. */
export function runRules<T>(
  suite: string,
  rules: Rules<T>,
  open: () => Promise<OpenedService<T>>,
  options: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  checkOptions(`The suite ${suite}`, options, "limitMs timers")
  const { limitMs = 20_000, timers = hostTimers } = options
  async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let waitedMs = 0; !(await condition()); waitedMs += lookEveryMs) {
      claim(waitedMs < limitMs, what, `not so after ${limitMs} ms`)
      await new Promise<void>((resolve) => timers.set(resolve, lookEveryMs))
    }
  }
  return Object.entries(rules).map(([name, verify]) => ({
    name,
    async run() {
      const { service, close } = await open()
      try {
        const agent = `${suite}: ${name}`
        const key = keyOf(agent)
        const group = keyOf(agent, { audience: "group", conversation: "club" })
        await verify({ service, agent, key, group, until })
      } finally {
        await close?.()
      }
    },
  }))
}
