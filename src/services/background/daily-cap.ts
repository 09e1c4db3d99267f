import type { MemoryRun, StepResult } from "./memory-run.ts"

const dayMs = 86_400_000

/** A skipped step where the user's questions to models of the last 24 hours have reached the cap; undefined while there is room. */
export async function capReached({ options, key }: MemoryRun): Promise<StepResult | undefined> {
  const { dailyCalls } = options.settings
  if (dailyCalls === undefined) return undefined
  const calls = await options.receipts.modelCalls(key, options.ports.clock.nowMs() - dayMs)
  return calls < dailyCalls ? undefined : { outcome: "skipped", message: `${calls} of ${dailyCalls} daily calls are used up` }
}
