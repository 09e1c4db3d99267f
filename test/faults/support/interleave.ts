import { mulberry32 } from "../../../src/core/mulberry.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { diceOf } from "../../support/dice.ts"

/** Waits until the schedule lets this place go on. */
export type Pause = () => Promise<void>

interface Choice {
  readonly options: number
  readonly chosen: number
}

/** Every order is tried of the first `depth` choices between places that wait, the rest by chance; then `more` orders all by chance. */
export interface Orders {
  readonly depth: number
  readonly more: number
  readonly seed: number
}

/**
 * Runs a scenario under every order of its pauses and returns how many orders there were. One place goes on at a time, or all that
 * wait at once. An error names the choices that led to it.
 */
export async function underEveryOrder({ depth, more, seed }: Orders, scenario: (pause: Pause) => Promise<void>): Promise<number> {
  let prefix: readonly Choice[] = []
  let left = more
  for (let count = 1; ; count++) {
    const dice = diceOf(mulberry32(seed + count))
    const made: Choice[] = []
    const choose = (options: number): number => {
      const at = made.length
      const chosen = Math.min(options - 1, at < depth && left === more ? (prefix[at]?.chosen ?? 0) : dice.below(options))
      made.push({ options, chosen })
      return chosen
    }
    try {
      await runOnce(choose, scenario)
    } catch (error) {
      throw new Error(`under the order ${made.map(({ chosen }) => chosen).join(",")}: ${error}`, { cause: error })
    }
    if (left === more) prefix = nextPrefix(made.slice(0, depth))
    if (prefix.length > 0) continue
    left -= 1
    if (left < 0) return count
  }
}

/** The last choice that has an option left takes it. */
function nextPrefix(made: readonly Choice[]): readonly Choice[] {
  for (let at = made.length - 1; at >= 0; at--) {
    const { options, chosen } = made[at] ?? { options: 0, chosen: 0 }
    if (chosen + 1 < options) return [...made.slice(0, at), { options, chosen: chosen + 1 }]
  }
  return []
}

/** Rounds of the event loop in which nothing waited: then a scenario waits for something that no schedule can give it. */
const stuckRounds = 100_000

async function runOnce(choose: (options: number) => number, scenario: (pause: Pause) => Promise<void>): Promise<void> {
  let waiting: (() => void)[] = []
  let isOver = false
  const over = scenario(() => new Promise((resume) => waiting.push(resume))).finally(() => {
    isOver = true
  })
  over.catch(() => undefined)
  for (let idle = 0; !isOver; ) {
    // Everything that can run without the schedule has run when the event loop comes round.
    await new Promise((resume) => setImmediate(resume))
    if (isOver) break
    if (waiting.length === 0) {
      idle += 1
      if (idle > stuckRounds) throw new Error("nothing goes on any more")
      continue
    }
    idle = 0
    const chosen = choose(waiting.length === 1 ? 1 : waiting.length + 1)
    const released = chosen === waiting.length ? waiting : waiting.splice(chosen, 1)
    if (released === waiting) waiting = []
    for (const resume of released) resume()
  }
  await over
}

/** A store of which every call waits for the schedule before it begins and before its result is seen. */
export function pausingStore(store: Store, pause: Pause): Store {
  const { memories, users, receipts } = store
  return {
    ...store,
    ...pausing(store, ["load", "commit", "post", "messages", "forget"], pause),
    memories: { ...pausing(memories, methodsOf(memories), pause) },
    users: { ...pausing(users, methodsOf(users), pause) },
    receipts: { ...pausing(receipts, methodsOf(receipts), pause) },
  } as Store
}

/** The names of an object's methods, its class's too. */
function methodsOf(object: object): readonly string[] {
  const own = [...Object.keys(object), ...Object.getOwnPropertyNames(Object.getPrototypeOf(object))]
  return own.filter((name) => name !== "constructor" && typeof Reflect.get(object, name) === "function")
}

function pausing(object: object, names: readonly string[], pause: Pause): object {
  const calls = names.map((name) => {
    const call = Reflect.get(object, name) as (...args: unknown[]) => Promise<unknown>
    const paused = async (...args: unknown[]) => {
      await pause()
      try {
        return await call.apply(object, args)
      } finally {
        await pause()
      }
    }
    return [name, paused] as const
  })
  return Object.fromEntries(calls)
}
