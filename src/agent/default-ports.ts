import { roughCounter } from "../assemble/rough-counter.ts"
import { hostTimers } from "../core/host-timers.ts"
import type { Ports } from "../core/ports.ts"

/** The host's clock, timers and randomness, ids that are unique everywhere, and a token estimate. */
export const defaultPorts: Ports = {
  clock: { nowMs: () => Date.now() },
  timers: hostTimers,
  ids: { next: (prefix) => `${prefix}_${crypto.randomUUID()}` },
  random: Math.random,
  counter: roughCounter,
}
