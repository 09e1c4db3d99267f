import { z } from "zod"
import { hasLineBreak } from "../encode/line-breaks.ts"
import { type BoundedPath, boundsOf, describeBounds } from "../profile/bounds.ts"

/*
 * The message of each type is what it expects, as a noun phrase: `profile-issues.ts` makes "expected …, found …" of it.
 */

/** What the reference page and editors say of a key. */
export interface KeyFacts {
  /** One sentence or two, in plain words. */
  readonly meaning: string
  /** What holds where no profile sets it. */
  readonly fallback?: string | number | boolean | readonly string[]
  /** The same in words, where it is no fixed value. */
  readonly otherwise?: string
}

/** A key with what is known of it; `profile-json-schema.ts` and the reference page read it back. */
export function key<T extends z.ZodType>(type: T, { meaning, fallback, otherwise }: KeyFacts): T {
  return type.meta({
    description: meaning,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(otherwise === undefined ? {} : { otherwise }),
  })
}

export const text = () => z.string({ error: "a string" })
export const line = () => text().refine(isLine, { error: "one line of text that is not blank" }).meta({ pattern: "\\S" })
export const flag = () => z.boolean({ error: "true or false" })

/** An array of names; `example` shows one in messages. */
export const names = (example: string) => z.array(line(), { error: `an array of names, such as ["${example}"]` })

/** One of some words. */
export function choice<const V extends readonly [string, string, ...string[]]>(...values: V) {
  const quoted = values.map((value) => JSON.stringify(value))
  return z.enum(values, { error: `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}` })
}

/** A number of the profile, with the bounds that profiles from code have too. */
export function bounded(path: BoundedPath) {
  const bounds = boundsOf(path)
  const expected = { error: describeBounds(bounds) }
  const number = bounds.integer ? z.int(expected) : z.number(expected)
  return bounds.max === undefined ? number.min(bounds.min, expected) : number.min(bounds.min, expected).max(bounds.max, expected)
}

/** A table without other keys; each of its keys may be left out. */
export function table<S extends z.core.$ZodLooseShape>(meaning: string, shape: S) {
  return z.strictObject(shape, { error: "a table" }).exactPartial().meta({ description: meaning })
}

function isLine(value: string): boolean {
  return value.trim() !== "" && !hasLineBreak(value)
}
