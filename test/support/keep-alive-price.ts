import type { TokenCounter } from "../../src/core/ports.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { seededRandom, simulateCache } from "../../src/testing/index.ts"
import { cachePrices, fullLowMark } from "./cache-comparison.ts"
import { cacheScenario } from "./cache-scenario.ts"

const minuteMs = 60_000
/** The time for which a cache keeps what nobody uses. */
const keptMs = 5 * minuteMs
const quietMs = resolveProfile().conversation.cacheKeepAliveMs
const draws = 5_000

const requestCounts = [0, 1, 3, 10] as const
export const kinds = ["explicit", "automatic"] as const
type Kind = (typeof kinds)[number]

/** People who come back after so many minutes on average, with the same chance in each minute; some never do. */
interface Returning {
  readonly meanMinutes: number
  readonly neverShare: number
}

const people: readonly Returning[] = [
  { meanMinutes: 2, neverShare: 0 },
  { meanMinutes: 10, neverShare: 0 },
  { meanMinutes: 10, neverShare: 0.5 },
  { meanMinutes: 30, neverShare: 0 },
  { meanMinutes: 60, neverShare: 0 },
  { meanMinutes: 120, neverShare: 0 },
]

/** A pause of each kind of cache and number of requests, and the return behind it, in prices of a plain prompt. */
export interface PricedPause extends Returning {
  /** Of those who are away when the first request is sent, the share that comes back while it alone keeps the cache. */
  readonly chance: number
  readonly prices: Readonly<Record<Kind, readonly number[]>>
  /** The chance from which on one request pays. */
  readonly breakEven: Readonly<Record<Kind, number>>
}

/** Plays pauses of a conversation of `layered` with the cache simulator: drawn return times, with and without requests that keep the cache. */
export function pricedPauses(counter: TokenCounter): PricedPause[] {
  // Two turns of one request each, in the midst of a step of history.
  const turn = (number: number) => scenario.find((request) => request.turn === number)?.assembly
  const scenario = cacheScenario("layered", counter, fullLowMark)
  const [before, after] = [turn(53), turn(54)]
  if (!before || !after) throw new Error("the scenario has lost its turns 53 and 54")
  const known = new Map<string, readonly number[]>()
  /** The prices of the requests behind the turn, in prices of the return without a cache. The last one is the return. */
  const play = (kind: Kind, count: number, awayMinutes: number): readonly number[] => {
    // Once the cache has ended, each later minute is like the first one.
    const minutes = Math.min(awayMinutes, Math.ceil((count * quietMs + keptMs) / minuteMs) + 1)
    const id = `${kind} ${count} ${minutes}`
    const repeats = Array.from({ length: count }, (_, at) => ({ assembly: before, atMs: (at + 1) * quietMs }))
    const sent = repeats.filter(({ atMs }) => atMs < minutes * minuteMs)
    const requests = [{ assembly: before, atMs: 0 }, ...sent, { assembly: after, atMs: minutes * minuteMs }]
    const made =
      known.get(id) ?? pricesOf(simulateCache(requests, { counter, breakpoints: kind, ttlMs: keptMs, prices: cachePrices[kind] }))
    known.set(id, made)
    return made
  }
  const sumOf = (prices: readonly number[]) => prices.reduce((sum, price) => sum + price, 0)
  /** A pause from which nobody comes back has its requests alone. */
  const priceOf = (kind: Kind, count: number, minutes: number) =>
    sumOf(Number.isFinite(minutes) ? play(kind, count, minutes) : play(kind, count, minutes).slice(0, -1))
  return people.map((returning) => {
    const times = drawnMinutes(returning)
    const away = times.filter((minutes) => minutes * minuteMs > quietMs)
    const inTime = away.filter((minutes) => minutes * minuteMs > keptMs && minutes * minuteMs <= quietMs + keptMs)
    const each = (kind: Kind) =>
      requestCounts.map((count) => sumOf(times.map((minutes) => priceOf(kind, count, minutes))) / draws)
    const breakEven = (kind: Kind) => {
      const [request = 0, warm = 0] = play(kind, 1, 8)
      const [cold = 0] = play(kind, 0, 8)
      return request / (cold - warm)
    }
    return {
      ...returning,
      chance: inTime.length / away.length,
      prices: { explicit: each("explicit"), automatic: each("automatic") },
      breakEven: { explicit: breakEven("explicit"), automatic: breakEven("automatic") },
    }
  })
}

function pricesOf({ rows }: ReturnType<typeof simulateCache>): readonly number[] {
  const plain = (rows.at(-1)?.promptTokens ?? 1) / 1_000_000
  return rows.slice(1).map(({ cost = 0 }) => cost / plain)
}

/** Return times in whole minutes, drawn with a seed. */
function drawnMinutes({ meanMinutes, neverShare }: Returning): readonly number[] {
  const random = seededRandom(7)
  return Array.from({ length: draws }, () => {
    const [isGone, minutes] = [random() < neverShare, Math.ceil(-Math.log(1 - random()) * meanMinutes)]
    return isGone ? Number.POSITIVE_INFINITY : Math.max(1, minutes)
  })
}

/** The pauses as rows of a table. */
export function pauseRows(priced: readonly PricedPause[]): Record<string, string>[] {
  return priced.map(({ meanMinutes, neverShare, chance, prices }) => ({
    "back after, minutes on average": String(meanMinutes),
    "never back": percent(neverShare),
    "back in time": percent(chance),
    ...Object.fromEntries(
      kinds.flatMap((kind) => requestCounts.map((count, at) => [`${kind}: ${count || "none"}`, percent(prices[kind][at] ?? 0)])),
    ),
  }))
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
