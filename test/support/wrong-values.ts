import { PromptStrataError } from "../../src/core/errors.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { seedOf } from "./size.ts"

/** Values that a program in plain JavaScript may pass for any other. No text: one names a folder to make. */
export const wrong: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a number", 7],
  ["true", true],
  ["a list", []],
  ["an empty object", {}],
  ["a function", () => 7],
  ["a symbol", Symbol("s")],
  ["a bigint", 7n],
  ["an object without a prototype", Object.create(null)],
  ["a list of null", [null]],
  ["a list of objects", [{}]],
  ["what cannot be iterated", { [Symbol.iterator]: 7 }],
]

/** True for no error, or one of this library that does not pass on a bare one. */
export function isTold(error: unknown): boolean {
  if (error === undefined) return true
  return PromptStrataError.isInstance(error) && !/is not a function|Cannot |is not iterable|BigInt/.test(error.message)
}

/** Each place in plain data, as the keys that lead to it. */
function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [[key], ...placesIn(inner).map((rest) => [key, ...rest])])
}

/** A copy of plain data with another value at one place. */
function withValueAt(value: unknown, [key, ...rest]: readonly string[], given: unknown): unknown {
  if (key === undefined) return given
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  return Object.assign(copy, { [key]: withValueAt(Reflect.get(copy, key), rest, given) })
}

/** An agent whose model says one word. */
export function agentOf(options: object = {}) {
  const model: LanguageModel = {
    id: "m",
    capabilities: { tools: false, developerRole: false },
    async *stream() {
      yield { type: "text-delta", delta: "Hi." }
      yield { type: "finish", reason: "stop" }
    },
  }
  const profile = resolveProfile({ loop: { mode: "chat" }, memory: { enabled: false } })
  return createAgent({ profile, model, onWarning: () => undefined, ...options })
}

/** The error of a call, or that with which its turn ended. */
export async function endOf(call: () => unknown): Promise<unknown> {
  try {
    return (await (call() as { readonly error?: unknown } | undefined))?.error
  } catch (error) {
    return error
  }
}

const others: readonly (readonly [string, unknown])[] = [...wrong, ["a text", "x"], ["no number", Number.NaN]]

/**
 * The wrong values at any depth of data that a call answers with an error that is not of this library, each with the error. At each place
 * the next `count` values are tried, so that places beside each other try others.
 */
export async function untold<T extends object>(
  data: T,
  call: (data: T) => unknown,
  count: number = others.length,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [at, place] of placesIn(data).entries()) {
    for (const [which, [what, given]] of others.entries()) {
      if ((which + at * count + seedOf(0)) % others.length >= count) continue
      const error = await endOf(() => call(withValueAt(data, place, given) as T))
      if (!isTold(error)) found.push(`${place.join(".")} as ${what}: ${String(error)}`)
    }
  }
  return found
}
