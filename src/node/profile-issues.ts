import type { z } from "zod"
import { didYouMean, suggest } from "../core/suggest.ts"
import { formatKeyPath, type ProfileProblem } from "./profile-problem.ts"
import { profileFileSchema } from "./profile-schema.ts"
import { keysAt, pathsOfKey } from "./schema-keys.ts"
import { offsetOf, type TomlNode } from "./toml-positions.ts"

/** Names that reach an object's prototype where data is copied carelessly; nothing in a profile is called so. */
const unsafeKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

/** Deeper than any profile, shallower than the call stack. */
const maxDepth = 50

/** The keys that no profile has, whatever stands around them: unsafe names, and tables in tables without end (L9). */
export function unsafeKeyProblems(root: TomlNode): ProfileProblem[] {
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

/** What the schema finds wrong, as sentences: expected, found, and a suggestion for a near miss. */
export function issueProblems(
  issues: readonly z.core.$ZodIssue[],
  { data, positions }: { data: unknown; positions: TomlNode },
): ProfileProblem[] {
  const problems = new Map<string, ProfileProblem>()
  for (const issue of issues) {
    for (const { path, message } of issue.code === "unrecognized_keys" ? unknownKeys(issue) : [wrongValue(issue, data)]) {
      const name = formatKeyPath(path)
      if (!problems.has(name)) problems.set(name, { offset: offsetOf(positions, path), message })
    }
  }
  return [...problems.values()]
}

interface Fault {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function unknownKeys({ path, keys }: z.core.$ZodIssueUnrecognizedKeys): Fault[] {
  const known = keysAt(profileFileSchema, path)
  return keys
    .filter((key) => !unsafeKeys.has(key))
    .map((key) => {
      const below = [...path, key]
      return { path: below, message: `unknown key ${formatKeyPath(below)}.${suggestion(key, known)}` }
    })
}

function suggestion(key: string, known: readonly string[]): string {
  if (suggest(key, known) !== undefined) return didYouMean(key, known)
  const elsewhere = pathsOfKey(profileFileSchema, key)
  if (elsewhere.length > 0) return ` Did you mean ${elsewhere.join(" or ")}?`
  return ` Expected ${known.length === 1 ? "" : "one of "}${known.join(", ")}.`
}

function wrongValue(issue: z.core.$ZodIssue, data: unknown): Fault {
  const found = issue.path.reduce<unknown>(valueIn, data)
  const choices = issue.code === "invalid_value" ? issue.values.map(String) : []
  const near = typeof found === "string" ? didYouMean(found, choices) : ""
  return {
    path: issue.path,
    message: `${formatKeyPath(issue.path)}: expected ${issue.message}, found ${describe(found)}.${near}`,
  }
}

function valueIn(outer: unknown, key: PropertyKey): unknown {
  if (typeof outer !== "object" || outer === null || !Object.hasOwn(outer, key)) return undefined
  return (outer as Readonly<Record<PropertyKey, unknown>>)[key]
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing"
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (value instanceof Date) return `the date or time ${value.toISOString()}`
  if (Array.isArray(value)) return "an array"
  if (typeof value === "object") return "a table"
  return String(value).replace("NaN", "nan").replace("Infinity", "inf")
}
