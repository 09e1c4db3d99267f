import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Gate } from "./bench.ts"

setFlagsFromString("--expose-gc")
/** Collects young garbage, or all. */
export const collect = runInNewContext("gc") as (options: { readonly type: "minor" | "major" }) => void

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

/** How often what seems to miss its bound is measured before it does. */
const tries = 3

/**
 * The median CPU of each work in milliseconds. The works are done in turns, so that a busy moment of the machine falls on all of them,
 * and are measured again, at most twice, while `holds` says no.
 */
export async function mediansInTurn(
  works: readonly (() => unknown)[],
  { warmUps, rounds, holds }: { readonly warmUps: number; readonly rounds: number; readonly holds: (ms: number[]) => boolean },
): Promise<number[]> {
  for (let round = 0; round < warmUps; round++) for (const work of works) await work()
  let ms: number[] = []
  for (let attempt = 0; attempt < tries; attempt++) {
    const all = works.map((): number[] => [])
    for (let round = 0; round < rounds; round++) for (const [at, work] of works.entries()) all[at]?.push(await cpuMsAlone(work))
    ms = all.map(median)
    if (holds(ms)) break
  }
  return ms
}

/** Tells if a value is at most so many times its floor, which comes second. */
export function isWithin(most: number): (ms: readonly number[]) => boolean {
  return ([value = Number.NaN, floor = Number.NaN]) => value <= floor * most
}

/** The gate of a value and its floor, measured in the same rounds. */
export function ratioGate(name: string, [value = Number.NaN, floor = Number.NaN]: readonly number[], most: number): Gate {
  return { name: `${name}: at most ${most} × its CPU`, ok: isWithin(most)([value, floor]), detail: (value / floor).toFixed(2) }
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
