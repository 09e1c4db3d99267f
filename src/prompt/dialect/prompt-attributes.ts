import { PromptStrataError } from "../../core/errors.ts"
import { isTexts } from "../../core/json-access.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { PromptSource } from "./prompt-source.ts"

/** The separators between the entries that a file prints, by their names in front matter. */
const separators = { newline: "\n", "blank-line": "\n\n", comma: ", " } as const

/** The front matter of a prompt file, checked. */
export interface PromptAttributes {
  /** The separator between two entries that this file prints. */
  readonly separator: "\n" | "\n\n" | ", "
  /** Names that may be absent without an error. */
  readonly optional: readonly string[]
  /** Keys of injections that this prompt leaves out on purpose. */
  readonly omit: readonly string[]
}

const known = ["omit", "optional", "separator"] as const satisfies readonly (keyof PromptAttributes)[]

/** Reads the front matter of a prompt file. An unknown key or a wrong value is an error with code `prompt`. */
export function readPromptAttributes(source: PromptSource): PromptAttributes {
  for (const key of Object.keys(source.attributes)) {
    if (!(known as readonly string[]).includes(key))
      throw fault(source, `expected only ${known.join(", ")} in the front matter, found ${key}.${didYouMean(key, known)}`)
  }
  return { separator: readSeparator(source), optional: readNames(source, "optional"), omit: readNames(source, "omit") }
}

function readSeparator(source: PromptSource): PromptAttributes["separator"] {
  const value = source.attributes.separator ?? "newline"
  if (typeof value === "string" && Object.hasOwn(separators, value)) return separators[value as keyof typeof separators]
  const names = Object.keys(separators)
  const hint = typeof value === "string" ? didYouMean(value, names) : ""
  throw fault(source, `expected separator to be one of ${names.join(", ")}, found ${JSON.stringify(value)}.${hint}`)
}

function readNames(source: PromptSource, key: "optional" | "omit"): readonly string[] {
  const value = source.attributes[key] ?? []
  if (isTexts(value)) return value
  throw fault(source, `expected ${key} to be a list of names such as [tools, note], found ${JSON.stringify(value)}.`)
}

function fault(source: PromptSource, message: string): PromptStrataError {
  return new PromptStrataError("prompt", message, { source: { file: source.path, line: 1 } })
}
