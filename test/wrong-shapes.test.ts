import { pathToFileURL } from "node:url"
import { expect, test } from "vitest"
import { PromptStrataError } from "../src/core/errors.ts"
import { entryPoints } from "./support/entry-points.ts"
import { root } from "./support/source-files.ts"

/** Values that a program in plain JavaScript may pass for any other. No text: one names a folder to make. */
const wrong: readonly (readonly [string, unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["a number", 7],
  ["true", true],
  ["a list", []],
  ["an empty object", {}],
  ["a function", () => 7],
]

const isClass = (value: object) => /^class\s/.test(Function.prototype.toString.call(value))

/** The error of a call, or of its promise. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    const made = call()
    if (made instanceof Promise) await made
    return undefined
  } catch (error) {
    return error
  }
}

test.each(entryPoints())(
  "no function of $specifier answers a wrong shape with an error that is not of this library",
  async ({ source }) => {
    const exported = (await import(pathToFileURL(root + source).href)) as Record<string, unknown>
    const found: string[] = []
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== "function" || isClass(value)) continue
      for (const [what, given] of wrong) {
        const error = await errorOf(() => value(given))
        if (error !== undefined && !PromptStrataError.isInstance(error)) found.push(`${name} of ${what}: ${String(error)}`)
      }
    }
    expect(found).toEqual([])
  },
)
