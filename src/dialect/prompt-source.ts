import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"

/** A prompt file that is not compiled yet. */
export interface PromptSource {
  /** The path for sources and errors, with `/`: relative to `prompts/` for a shipped file, as given for a user's file. */
  readonly path: string
  /** The front matter. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The text after the front matter. */
  readonly body: string
  /** The line of the file on which the body begins. */
  readonly firstLine: number
}

/** The name of a file in its dialect: `planner` for `fay/en/planner.md`. */
export function promptName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "")
}

/** True for a file that a dialect compiles. Other files, such as `.txt`, can be loaded by `file_load`. */
export function isPrompt(path: string): boolean {
  return path.endsWith(".md")
}

/** The names of files that make requests of their own. A folder that has one of them in a locale is a dialect. */
export const promptKinds: readonly string[] = ["planner", "final", "chat"]

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
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value
  throw fault(source, `expected ${key} to be a list of names such as [tools, note], found ${JSON.stringify(value)}.`)
}

function fault(source: PromptSource, message: string): PromptStrataError {
  return new PromptStrataError("prompt", message, { source: { file: source.path, line: 1 } })
}
