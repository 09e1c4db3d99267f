import type { TurnRun } from "./turn-run.ts"
import { isAtWork } from "./work-mode.ts"

/** True where saying nothing ends the turn at once (R27): nobody spoke, and at work nobody wants idle talk. */
export function isQuietWake({ setup }: TurnRun): boolean {
  return setup.wake !== undefined && isAtWork(setup.stack)
}
