import { type Injection, isEmptyValue } from "../core/value.ts"
import { type CleanInjection, cleanInjection } from "./clean-injections.ts"
import type { KeyPlaces } from "./fit/fit-options.ts"

/** What of the given injections a prompt is made from. */
export interface LiveInjections {
  /** Clean, one of each key: in the place of its first one, with the value of its last one. */
  readonly injections: readonly Injection[]
  readonly places: KeyPlaces
  /** Those of which something was taken out. */
  readonly cleaned: readonly CleanInjection[]
}

/** Cleans injections; of several of one key the last enabled one that is not empty counts. */
export function liveInjections(given: readonly Injection[]): LiveInjections {
  const clean: Injection[] = []
  const cleaned: CleanInjection[] = []
  const places = new Map<string, number>()
  for (let place = 0; place < given.length; place++) {
    const injection = given[place]
    if (!injection) break
    const result = cleanInjection(injection)
    if (result !== undefined && result.removed > 0) cleaned.push(result)
    const { key, enabled, content } = result?.injection ?? injection
    clean.push(result?.injection ?? injection)
    if (enabled && !isEmptyValue(content)) places.set(key, place)
  }
  const isEach = places.size === given.length
  return {
    injections: isEach ? clean : Array.from(places.values(), (place) => clean[place]).filter((one) => one !== undefined),
    places: { of: places, count: given.length },
    cleaned,
  }
}
