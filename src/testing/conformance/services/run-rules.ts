import { hostTimers } from "../../../core/host-timers.ts"
import { claim } from "../claims.ts"
import type { Opened, Rule, ServiceCheck, ServiceConformanceOptions } from "./service-check.ts"

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
