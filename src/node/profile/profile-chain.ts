import { realpathSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { PromptStrataError } from "../../core/errors.ts"
import { locatedError } from "../../core/evidence/located-error.ts"
import { isRecord } from "../../core/json-access.ts"
import { positionAt } from "../../core/source.ts"
import { formatKeyPath } from "../../profile/check-keys.ts"
import { inSnakeCase } from "../../profile/key.ts"
import type { ProfileFile } from "../../profile/profile-file-keys.ts"
import { isCardPath } from "../cards/card-path.ts"
import { fileExists } from "../file-log.ts"
import { entryNames, notFound } from "../find-text.ts"
import { displaySearched } from "../shipped-files.ts"
import { offsetOf } from "../toml-positions.ts"
import { type ProfileDocument, type ProfileProblem, problemsError, readProfileFile } from "./profile-document.ts"

/**
 * Reads a profile file and what it extends, nearest first (L9). A name is looked up beside the file that extends it, then in
 * `roots`, and never means that file itself, so that your `fay.toml` can extend the shipped one. A circle throws `profile` and
 * shows the chain.
 */
export async function readProfileChain(path: string, roots: readonly string[]): Promise<ProfileDocument[]> {
  const chain: ProfileDocument[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const document: ProfileDocument = await readProfileFile(next)
    chain.push(document)
    next = parentOf(document, chain, roots)
  }
  return chain
}

function parentOf(document: ProfileDocument, chain: readonly ProfileDocument[], roots: readonly string[]): string | undefined {
  const parent = document.settings.extends
  if (parent === undefined) return undefined
  const folder = dirname(document.path)
  const places = { folder, roots: [folder, ...roots] }
  const existing = profileCandidates(parent, places).filter((path) => fileExists(path))
  const found = existing.find((path) => !isSameFile(path, document.path)) ?? existing[0]
  if (found === undefined) {
    const { message, hint } = missingProfile(parent, places)
    throw extendsError(document, message, hint)
  }
  const start = chain.findIndex(({ path }) => isSameFile(path, found))
  if (start < 0) return found
  const circle = [...chain.slice(start), chain[start]].map((link) => link?.file)
  throw extendsError(document, `expected profiles that end somewhere, found a circle: ${circle.join(" → ")}.`)
}

/** True also for two spellings of one path, such as through a link, along which a circle would never close. */
function isSameFile(a: string, b: string): boolean {
  return a === b || realpathSync(a) === realpathSync(b)
}

function extendsError({ file, text, positions }: ProfileDocument, message: string, hint?: string): PromptStrataError {
  const position = positionAt(text, offsetOf(positions, ["extends"]))
  return locatedError("profile", `extends: ${message}`, { file, text, position, hint })
}

/** The first file's settings with everything it inherits: tables are merged key by key, in all else the nearest profile decides. */
export function mergeChain(chain: readonly ProfileDocument[]): ProfileFile {
  // Tables that keep to the declaration keep to it when they are merged: none of its keys forbids another.
  return chain.map(({ settings }) => settings).reduceRight<object>(mergeTables, {}) as ProfileFile
}

function mergeTables(inherited: object, own: object): object {
  const merged = new Map<string, unknown>(Object.entries(inherited))
  for (const [key, value] of Object.entries(own)) {
    const below = merged.get(key)
    merged.set(key, isRecord(below) && isRecord(value) ? mergeTables(below, value) : value)
  }
  return Object.fromEntries(merged)
}

/** A setting, and the profile of a chain that decides it: its paths are relative to that profile's file. */
interface Setting<T> extends SettingPlace {
  readonly value: T
}

/** A place in a profile's file. */
export interface SettingPlace {
  readonly document: ProfileDocument
  /** As the file spells it. */
  readonly path: readonly PropertyKey[]
}

type Tables = { readonly [N in keyof ProfileFile]-?: NonNullable<ProfileFile[N]> }

/** A setting as the nearest profile of the chain has it. */
export function nearestSetting<T extends keyof Tables, K extends keyof Tables[T] & string>(
  chain: readonly ProfileDocument[],
  table: T,
  key: K,
): Setting<NonNullable<Tables[T][K]>> | undefined {
  for (const document of chain) {
    const settings: Tables[T] | undefined = (document.settings as Partial<Tables>)[table]
    const value = settings?.[key]
    if (value !== undefined && value !== null) return { document, value, path: [inSnakeCase(table), inSnakeCase(key)] }
  }
  return undefined
}

/** The path that a setting names, absolute: it is relative to the file in which it stands. */
export function absolutePath({ document, value }: Pick<Setting<string>, "document" | "value">): string {
  return resolve(dirname(document.path), value)
}

/** A chain of profiles, and the problems of what it names. */
export interface ProfileSearch {
  readonly chain: readonly ProfileDocument[]
  readonly locale: string
  readonly problems: Map<ProfileDocument, ProfileProblem[]>
}

/** Notes a problem at a key; `message` says what was expected and what was found, `note` stands below the place. */
export function report({ problems }: ProfileSearch, { document, path }: SettingPlace, message: string, note?: string): void {
  const problem = { message: `${formatKeyPath(path)}: ${message}`, note, offset: offsetOf(document.positions, path) }
  problems.set(document, [...(problems.get(document) ?? []), problem])
}

/** Throws everything that was reported as one error `profile`. */
export function refuseReported({ problems }: ProfileSearch): void {
  if (problems.size > 0) throw problemsError([...problems].map(([{ file, text }, found]) => ({ file, text, problems: found })))
}

interface ProfilePlaces {
  /** Paths are relative to this folder. */
  readonly folder: string
  /** Folders in which a name is looked up, in this order. */
  readonly roots: readonly string[]
}

/** Every file that a name or path can mean. The first that exists wins. A path has a slash, or ends as a profile or a card does; with a slash `.toml` may be left out. */
function profileCandidates(nameOrPath: string, { folder, roots }: ProfilePlaces): string[] {
  if (nameOrPath.endsWith(".toml") || isCardPath(nameOrPath)) return [resolve(folder, nameOrPath)]
  if (/[\\/]/.test(nameOrPath)) return [resolve(folder, `${nameOrPath}.toml`), resolve(folder, nameOrPath)]
  return [...new Set(roots.map((root) => resolve(root, `${nameOrPath}.toml`)))]
}

/** The file that a name or path means. A missing one throws `profile-missing` with the places where it was looked for. */
export function findProfile(nameOrPath: string, places: ProfilePlaces): string {
  const candidates = profileCandidates(nameOrPath, places)
  const found = candidates.find((path) => fileExists(path))
  if (found !== undefined) return found
  const { message, hint, known } = missingProfile(nameOrPath, places)
  throw new PromptStrataError("profile-missing", message, { hint, evidence: { searched: candidates, known } })
}

function missingProfile(nameOrPath: string, places: ProfilePlaces) {
  const known = entryNames(places.roots, (file) => (file.endsWith(".toml") ? file.slice(0, -".toml".length) : undefined))
  const searched = profileCandidates(nameOrPath, places).map(displaySearched)
  return { known, ...notFound("a profile", nameOrPath, { searched, known, names: "profiles" }) }
}
