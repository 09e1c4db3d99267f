import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as (options: { readonly type: "minor" }) => void

/** As {@link cpuMs}, and what was measured before leaves nothing young behind that this one would be charged for. */
export function cpuMsAlone(work: () => unknown): Promise<number> {
  collect({ type: "minor" })
  return cpuMs(work)
}

/** CPU milliseconds (user and system) that `work` takes in this process. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The middle value; of an even number the upper one of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** `12.3 ms`, `0.45 ms` */
export function formatMs(ms: number): string {
  return `${ms.toFixed(ms >= 10 ? 1 : 2)} ms`
}

/** `2.4×`: how many times the floor a value is. */
export function formatRatio(value: number, floor: number): string {
  return `${(value / floor).toFixed(1)}×`
}

/** Rounds of microtasks until a promise settles: one more for everything that is awaited on the way. */
export async function waitsUntil(settled: Promise<unknown>): Promise<number> {
  let isDone = false
  let rounds = 0
  const done = settled.then(() => {
    isDone = true
  })
  for (; !isDone && rounds < 1_000_000; rounds++) await Promise.resolve()
  await done
  return rounds
}
