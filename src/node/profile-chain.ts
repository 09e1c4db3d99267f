import { realpathSync } from "node:fs"
import { dirname } from "node:path"
import { locatedError, type PromptStrataError } from "../core/errors.ts"
import { positionAt } from "../core/source.ts"
import { fileExists } from "./file-log.ts"
import { missingProfile, profileCandidates } from "./find-profile.ts"
import type { ProfileFile } from "./profile-schema.ts"
import { type ProfileDocument, readProfileFile } from "./read-profile-file.ts"
import { offsetOf } from "./toml-positions.ts"

/**
 * Reads a profile file and what it extends, nearest first (L9). A name is looked up beside the file that extends it, then in
 * `roots`, and never means that file itself, so that your `fay.toml` can extend the shipped one. A circle throws `profile` and
 * shows the chain.
 */
export function readProfileChain(path: string, roots: readonly string[]): ProfileDocument[] {
  const chain: ProfileDocument[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const document: ProfileDocument = readProfileFile(next)
    chain.push(document)
    next = parentOf(document, chain, roots)
  }
  return chain
}

function parentOf(document: ProfileDocument, chain: readonly ProfileDocument[], roots: readonly string[]): string | undefined {
  const parent = document.data.extends
  if (parent === undefined) return undefined
  const folder = dirname(document.path)
  const places = { folder, roots: [folder, ...roots] }
  const existing = profileCandidates(parent, places).filter((path) => fileExists(path))
  const found = existing.find((path) => !isSameFile(path, document.path)) ?? existing[0]
  if (found === undefined) {
    const { message, hint } = missingProfile(parent, places)
    throw at(document, `extends: ${message}`, hint)
  }
  const start = chain.findIndex(({ path }) => isSameFile(path, found))
  if (start < 0) return found
  const circle = [...chain.slice(start), chain[start]].map((link) => link?.file)
  throw at(document, `extends: expected profiles that end somewhere, found a circle: ${circle.join(" → ")}.`)
}

/** True also for two spellings of one path, such as through a link, along which a circle would never close. */
function isSameFile(a: string, b: string): boolean {
  return a === b || realpathSync(a) === realpathSync(b)
}

function at({ file, text, positions }: ProfileDocument, message: string, hint?: string): PromptStrataError {
  const position = positionAt(text, offsetOf(positions, ["extends"]))
  return locatedError("profile", message, { file, text, position, hint })
}

/** The first file's data with everything it inherits: tables are merged key by key, in all else the nearest profile decides. */
export function mergeChain(chain: readonly ProfileDocument[]): ProfileFile {
  // Tables that keep to the schema keep to it when they are merged: none of its keys forbids another.
  return chain.map(({ data }) => data).reduceRight<object>(mergeTables, {}) as ProfileFile
}

function mergeTables(inherited: object, own: object): object {
  const merged = new Map<string, unknown>(Object.entries(inherited))
  for (const [key, value] of Object.entries(own)) {
    const below = merged.get(key)
    merged.set(key, isTable(below) && isTable(value) ? mergeTables(below, value) : value)
  }
  return Object.fromEntries(merged)
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The nearest profile of the chain that has `key` in `table`. */
export function nearestWith(
  chain: readonly ProfileDocument[],
  table: "documents" | "files" | "memory" | "plugins" | "prompt" | "skills" | "tools",
  key: string,
): ProfileDocument | undefined {
  return chain.find(({ data }) => Object.hasOwn(data[table] ?? {}, key))
}
