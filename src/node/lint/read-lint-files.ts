import { existsSync, readdirSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { isLocale } from "../../dialect/locales.ts"
import { shippedPrompts } from "../../dialect/shipped-prompts.ts"
import type { LintContext, LintFile, LintProfile } from "../../lint/context.ts"
import { namesInSources } from "../../lint/shipped-names.ts"
import { isFolder } from "../file-log.ts"
import { findProfile } from "../find-profile.ts"
import { promptsFolderOf } from "../find-text.ts"
import { chooseLocale } from "../locale.ts"
import type { ProfileDocument } from "../read-profile-file.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath, shippedProfilesFolder } from "../shipped-files.ts"
import { promptFolderOf, readChain, readLintProfile } from "./read-lint-profile.ts"
import { readLooseFiles } from "./read-loose-files.ts"
import { readPromptFolder } from "./read-prompt-folder.ts"
import { readTraces } from "./read-traces.ts"

/** What `lint` is to look at. */
export interface LintFilesOptions {
  /** Names or paths of profiles. None: every profile in `./profiles`, else the shipped ones. */
  readonly profiles?: readonly string[]
  /** A prompts folder beside those of the profiles; without profiles it alone is read, with `./profiles` where there are any. */
  readonly promptFolder?: string | undefined
  /** Default: the profile's, else every locale that its prompts folder has. */
  readonly locale?: string | undefined
  /** Files of recorded turns. */
  readonly traces?: readonly string[]
}

/** Reads all that rules look at: profiles with what they extend, and the prompts folders beside them. Throws only for a profile that is not there. */
export async function readLintFiles(options: LintFilesOptions = {}): Promise<LintContext> {
  const roots = [resolve("profiles"), shippedProfilesFolder]
  const linted = profilePaths(options, roots)
  const given = options.promptFolder === undefined ? [] : [resolve(options.promptFolder)]
  const chains = new Map(linted.map((path) => [path, readChain(path, roots)]))
  for (const path of siblings(linted)) {
    const chain = readChain(path, roots)
    if (chain.length > 0 || isForProfiles(dirname(path))) chains.set(path, chain)
  }
  const folders = uniqueFolders([...given, ...linted.flatMap((path) => promptFolders(path, chains.get(path) ?? []))])
  const files = folders.flatMap(readPromptFolder)
  const profiles: LintProfile[] = []
  for (const [path, chain] of chains) {
    for (const locale of localesFor(chain, files, options))
      profiles.push(withoutKnown(await readLintProfile(chain, { path, locale, roots, linted: linted.includes(path) }), files))
  }
  return {
    files: [...files, ...readLooseFiles(profiles, files), ...profileFiles(linted, chains)],
    profiles,
    shippedNames: namesInSources(shippedPrompts()),
    traces: (options.traces ?? []).flatMap(readTraces),
  }
}

function profilePaths({ profiles = [], promptFolder }: LintFilesOptions, roots: readonly string[]): string[] {
  if (profiles.length > 0) return [...new Set(profiles.map((name) => findProfile(name, { folder: process.cwd(), roots })))]
  const own = tomlFiles(resolve("profiles"))
  return own.length > 0 || promptFolder !== undefined ? own : tomlFiles(shippedProfilesFolder)
}

/** The other profiles beside these: what they use is not dead. */
function siblings(paths: readonly string[]): string[] {
  const folders = new Set(paths.map((path) => dirname(path)))
  return [...folders].flatMap(tomlFiles).filter((path) => !paths.includes(path))
}

/** Elsewhere a file that is no profile is something else, such as `pyproject.toml`; here it is a broken one. */
function isForProfiles(folder: string): boolean {
  return basename(folder) === "profiles"
}

/** The library's own prompts are read only for its own profiles. */
function promptFolders(path: string, chain: readonly ProfileDocument[]): string[] {
  const laidOver = promptFolderOf(chain)
  return [promptsFolderOf(path), ...(laidOver === undefined ? [] : [laidOver])].filter(isFolder)
}

/** What is wrong with a prompt file is told where that file was read: there all of it, not only what stopped the profile. */
function withoutKnown(profile: LintProfile, files: readonly LintFile[]): LintProfile {
  const read = new Set(files.map(({ file }) => file))
  return { ...profile, faults: profile.faults.filter(({ rule, file }) => rule === "profile" || !read.has(file)) }
}

function localesFor(
  [document]: readonly ProfileDocument[],
  files: readonly LintFile[],
  { locale }: LintFilesOptions,
): readonly string[] {
  if (locale !== undefined) return [chooseLocale({ option: locale, env: {} })]
  if (document?.data.locale !== undefined) return [document.data.locale]
  const found = new Set(files.flatMap((file) => (file.locale !== undefined && isLocale(file.locale) ? [file.locale] : [])))
  return found.size > 0 ? [...found].sort() : ["en"]
}

/** Profiles as text, for what is looked for in every file. */
function profileFiles(linted: readonly string[], chains: ReadonlyMap<string, readonly ProfileDocument[]>): LintFile[] {
  const inherited = linted.flatMap((path) => (chains.get(path) ?? []).map((document) => document.path))
  const paths = new Set([...linted, ...inherited.filter((path) => !isShipped(path))])
  return [...paths].map((path) => {
    const file = displayPath(path)
    const place = { kind: "profile", root: "", folder: "profiles", name: basename(path, ".toml") } as const
    return { ...place, file, path, text: textOf(path), shipped: isShipped(path), loads: [], faults: [] }
  })
}

function textOf(path: string): string {
  try {
    return readTextFile(path)
  } catch {
    // Loading the profile says why.
    return ""
  }
}

function isShipped(path: string): boolean {
  return dirname(path) === shippedProfilesFolder
}

function tomlFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith(".toml"))
    .sort()
    .map((file) => join(folder, file))
}

function uniqueFolders(folders: readonly string[]): string[] {
  return [...new Map(folders.map((folder) => [isFolder(folder) ? realpathSync(folder) : folder, folder])).values()]
}
