import type { Entry, Injection } from "../core/value.ts"
import { sameInjection, sameLists } from "./same-injections.ts"

/**
 * What stands for injections while a prompt is made: for each the one of the request `before` that is equal, so that what was
 * made of that is found again by an application that makes its injections anew each turn; else itself. Lists are copied, as an
 * application adds to them between turns.
 */
export function standIns(given: readonly Injection[], before: readonly Injection[]): readonly Injection[] {
  const standing: Injection[] = []
  let places: ReadonlyMap<string, number> | undefined
  let next = 0
  for (const injection of given) {
    if (before[next]?.key !== injection.key) {
      places ??= new Map(before.map(({ key }, place) => [key, place]))
      next = places.get(injection.key) ?? next - 1
    }
    const known = before[next++]
    standing.push(known && (known === injection || sameInjection(known, injection)) ? known : withOwnList(injection))
  }
  return standing
}

/** The copies of injections that hold lists. */
const copies = new WeakMap<Injection, Injection>()

/** One copy of an injection as long as its list has the same entries. */
function withOwnList(injection: Injection): Injection {
  const { content } = injection
  if (!Array.isArray(content)) return injection
  const entries = content as readonly Entry[]
  const known = copies.get(injection)
  if (known && sameLists(known.content as readonly Entry[], entries, Object.is)) return known
  const copy = { ...injection, content: entries.slice() }
  copies.set(injection, copy)
  return copy
}
