import type { z } from "zod"
import { invariant, PromptStrataError } from "../../core/errors.ts"
import { codeFrame } from "../../core/evidence/located-error.ts"
import { clipped } from "../../core/graphemes.ts"
import { formatSource, positionAt, type Source } from "../../core/source.ts"
import { didYouMean, suggest } from "../../core/suggest.ts"
import { formatKeyPath, renamedKey, renamedWords, wrongValues } from "../../profile/check-keys.ts"
import { inSnakeCase, type Keys, type ValueType } from "../../profile/key.ts"
import { type ProfileFile, profileFileKeys } from "../../profile/profile-file-keys.ts"
import { cardProfile, isCardPath } from "../cards/card-path.ts"
import { parseToml } from "../parse-toml.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath } from "../shipped-files.ts"
import { offsetOf, type TomlNode } from "../toml-positions.ts"

/** The largest profile that is read: 1 MiB. */
const maxBytes = 1024 * 1024

/** Names that reach an object's prototype where data is copied carelessly. No key of a profile has one of them. */
export const unsafeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

/** Deeper than any profile, shallower than the call stack. */
const maxDepth = 50

/** One profile file, checked. */
export interface ProfileDocument {
  readonly path: string
  /** The path as messages and sources show it. */
  readonly file: string
  readonly text: string
  /** The data as the file writes it. */
  readonly data: Readonly<Record<string, unknown>>
  /** The same data with the names that code has: `maxSteps` for `max_steps`. */
  readonly settings: ProfileFile
  readonly positions: TomlNode
}

/**
 * Reads and checks one profile file; a character card is a profile too. All that is wrong with it is one error `profile` that names
 * every problem with its place.
 */
export async function readProfileFile(path: string): Promise<ProfileDocument> {
  const file = displayPath(path)
  const text = isCardPath(path)
    ? cardProfile(path)
    : readTextFile(path, file, { maxBytes, kind: "profile" }).replace(/^\uFEFF/, "")
  const { data, positions } = parseToml(text, file)
  const unsafe = unsafeKeyProblems(positions)
  // Beyond the bounded depth nothing recursive may touch the data.
  if (unsafe.length > 0) throw problemsError([{ text, file, problems: unsafe }])
  if (!fitsProfileFile(data)) {
    // zod says what is wrong, and is loaded for a mistake alone.
    const { checkProfileFile } = await import("./profile-schema.ts")
    const { error } = checkProfileFile(data)
    invariant(error, "zod refuses what the short check of a profile's file refuses")
    throw problemsError([{ text, file, problems: issueProblems(error.issues, { data, positions }) }])
  }
  return { path, file, text, data, settings: inCamelCase(profileFileKeys.type, data) as ProfileFile, positions }
}

/**
 * True for the data of a profile's file that the zod schema takes (L9). A file without mistakes is checked by this alone, as loading zod
 * takes longer than loading the profile. A test holds the two equal.
 */
export function fitsProfileFile(data: unknown): boolean {
  return wrongValues(profileFileKeys.type, data, [], inSnakeCase).length === 0
}

/** The keys that no profile has, whatever stands around them: unsafe names, and tables in tables without end (L9). */
function unsafeKeyProblems(root: TomlNode): ProfileProblem[] {
  const problems: ProfileProblem[] = []
  const pending: { node: TomlNode; path: readonly PropertyKey[] }[] = [{ node: root, path: [] }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, path } = next
    if (path.length > maxDepth) {
      problems.push({ offset: node.offset, message: `expected tables at most ${maxDepth} levels deep, found deeper ones.` })
      continue
    }
    for (const [key, inner] of node.children) {
      const below = [...path, key]
      if (unsafeKeys.has(key)) problems.push({ offset: inner.offset, message: `unknown key ${formatKeyPath(below)}.` })
      else pending.push({ node: inner, path: below })
    }
    for (const [at, inner] of node.items.entries()) pending.push({ node: inner, path: [...path, at] })
  }
  return problems
}

/** The issues of zod as sentences: expected, found, and a suggestion for a near miss. Of several at one key the first counts. */
function issueProblems(
  issues: readonly z.core.$ZodIssue[],
  { data, positions }: { readonly data: unknown; readonly positions: TomlNode },
): ProfileProblem[] {
  const problems = new Map<string, ProfileProblem>()
  for (const issue of issues) {
    for (const { path, message } of issue.code === "unrecognized_keys" ? unknownKeys(issue) : [wrongValue(issue, data)]) {
      const place = JSON.stringify(path)
      if (!problems.has(place)) problems.set(place, { offset: offsetOf(positions, path), message })
    }
  }
  return [...problems.values()]
}

type Fault = { readonly path: readonly PropertyKey[]; readonly message: string }

function unknownKeys({ path, keys }: z.core.$ZodIssueUnrecognizedKeys): Fault[] {
  const known = keysAt(profileFileKeys.type, path).toSorted()
  return keys.map((key) => {
    const below = [...path, key]
    const at = formatKeyPath(below)
    return { path: below, message: `unknown key ${at}.${renamedKey.test(at) ? ` ${renamedWords}.` : suggestion(key, known)}` }
  })
}

function wrongValue({ path, message, ...issue }: z.core.$ZodIssue, data: unknown): Fault {
  const found = path.reduce<unknown>((outer, key) => (outer as Readonly<Record<PropertyKey, unknown>>)[key], data)
  const near = typeof found === "string" && issue.code === "invalid_value" ? didYouMean(found, issue.values.map(String)) : ""
  return { path, message: `${formatKeyPath(path)}: expected ${message}, found ${describe(found)}.${near}` }
}

/** The keys that the table at `path` may have. */
function keysAt(type: ValueType, [key, ...inner]: readonly PropertyKey[]): string[] {
  if (type.kind === "map" && key === undefined) return [...(type.names ?? [])]
  if (type.kind === "list" || type.kind === "map") return keysAt(type.of, inner)
  if (type.kind !== "table") return []
  const keys = Object.entries(type.keys).map(([name, { type: of }]) => ({ name: inSnakeCase(name), of }))
  if (key === undefined) return keys.map(({ name }) => name)
  return keys.filter(({ name }) => name === key).flatMap(({ of }) => keysAt(of, inner))
}

function suggestion(key: string, known: readonly string[]): string {
  if (suggest(key, known) !== undefined) return didYouMean(key, known)
  const elsewhere = pathsOfKey(key, profileFileKeys.keys)
  if (elsewhere.length > 0) return ` Did you mean ${elsewhere.join(" or ")}?`
  return ` Expected ${known.length === 1 ? "" : "one of "}${known.join(", ")}.`
}

/** Every table in which `key` may stand, as `table.key`, or `key` at the top. */
function pathsOfKey(key: string, keys: Keys, above: readonly string[] = []): string[] {
  return Object.entries(keys).flatMap(([name, { type }]) => {
    const path = [...above, inSnakeCase(name)]
    const inside = type.kind === "table" ? pathsOfKey(key, type.keys, path) : []
    return path.at(-1) === key ? [path.join("."), ...inside] : inside
  })
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing"
  if (typeof value === "string") return JSON.stringify(clipped(value, 60))
  if (value instanceof Date) return `the date or time ${value.toISOString()}`
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "a table"
  return String(value).replace("NaN", "nan").replace("Infinity", "inf")
}

/** A checked value with the names that code has. Tables are copied: the parser's have no prototype. */
export function inCamelCase(type: ValueType, value: unknown): unknown {
  switch (type.kind) {
    case "list":
      return (value as readonly unknown[]).map((item) => inCamelCase(type.of, item))
    case "map":
      return Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, inCamelCase(type.of, inner)]))
    case "table": {
      const table = value as Readonly<Record<string, unknown>>
      const given = Object.entries(type.keys).filter(([name]) => Object.hasOwn(table, inSnakeCase(name)))
      return Object.fromEntries(given.map(([name, key]) => [name, inCamelCase(key.type, table[inSnakeCase(name)])]))
    }
    case "json":
      return structuredClone(value)
    default:
      return value
  }
}

/** A mistake in a profile's file. `message` is a sentence. `offset` is the place of its key, in UTF-16 units. */
export interface ProfileProblem {
  readonly offset: number
  readonly message: string
  /** Lines that are printed below the place, such as the folders in which a file was looked for. */
  readonly note?: string | undefined
}

/** So many problems are printed. The rest are counted. */
const maxShown = 20

/** One error `profile` for all problems, each with its place and a caret, in the order of the files and of the places in them. */
export function problemsError(
  found: readonly (Pick<ProfileDocument, "file" | "text"> & { readonly problems: readonly ProfileProblem[] })[],
): PromptStrataError {
  const all = found.flatMap(({ problems, ...place }) =>
    problems.toSorted((a, b) => a.offset - b.offset).map((problem) => ({ ...problem, place })),
  )
  const shown = all.slice(0, maxShown).map(({ offset, message, note, place }) => {
    const position = positionAt(place.text, offset)
    const frame = [codeFrame(place.text, position), ...(note === undefined ? [] : [note])].join("\n")
    return { source: { file: place.file, ...position } satisfies Source, message, frame }
  })
  const [first, ...others] = shown
  invariant(first, "an error about a profile has a problem")
  const blocks = [first.frame, ...others.map(({ source, message, frame }) => `${formatSource(source)}: ${message}\n${frame}`)]
  if (all.length > shown.length) blocks.push(`… and ${all.length - shown.length} more.`)
  return new PromptStrataError("profile", first.message, {
    source: first.source,
    frame: blocks.join("\n"),
    evidence: { count: all.length, problems: shown.map(({ source, message }) => ({ source, message })) },
  })
}
