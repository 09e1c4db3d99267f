import { existsSync, readdirSync, realpathSync } from "node:fs"
import { basename, dirname, join, resolve, sep } from "node:path"
import { attempt, PromptStrataError } from "../../core/errors.ts"
import { hostPorts } from "../../core/ports.ts"
import { positionAt } from "../../core/source.ts"
import type { LintContext, LintFault, LintFile, LintProfile } from "../../lint/rule.ts"
import { namesInSources } from "../../lint/template-names.ts"
import { closePlugins } from "../../memory/services/plugin.ts"
import type { Profile } from "../../profile/profile.ts"
import { shared } from "../../prompt/dialect/dialect-locale.ts"
import { isLocale } from "../../prompt/dialect/locales.ts"
import { shippedDialect, shippedDialectNames } from "../../prompt/dialect/shipped.ts"
import { shippedPrompts } from "../../prompt/dialect/shipped-files.ts"
import type { TurnTrace } from "../../trace/trace.ts"
import { isFolder } from "../file-log.ts"
import { isTextPath, promptsFolderOf, textPathsOf } from "../find-text.ts"
import { promptLocale } from "../locale.ts"
import { loadProfile } from "../profile/load-profile.ts"
import { findProfile, readProfileChain } from "../profile/profile-chain.ts"
import type { ProfileDocument } from "../profile/profile-document.ts"
import { readTextFile } from "../read-text-file.ts"
import { displayPath, shippedProfilesFolder } from "../shipped-files.ts"
import { offsetOf } from "../toml-positions.ts"
import { cardFaults, errorFaults, spriteFaults } from "./load-faults.ts"
import { readLooseFiles, readPromptFolder } from "./read-prompt-folder.ts"

/** The files that `lint` reads. */
interface LintFilesOptions {
  /** Names or paths of profiles. Default: every profile in `./profiles`; the shipped ones if it has none. */
  readonly profiles?: readonly string[]
  /** A prompts folder beside those of the profiles. If no profiles are given, only it and the profiles in `./profiles` are read. */
  readonly promptFolder?: string | undefined
  /** Default: the profile's; without one, every locale of its prompts folder. */
  readonly locale?: string | undefined
  /** Files of recorded turns. */
  readonly traces?: readonly string[]
}

/**
 * Reads everything that rules look at: profiles, the files that they extend, and their prompts folders. Mistakes in files are
 * data. Throws for a profile that does not exist, and for a file of traces that cannot be read.
 */
export async function readLintFiles(options: LintFilesOptions = {}): Promise<LintContext> {
  const roots = [resolve("profiles"), shippedProfilesFolder]
  const linted = profilePaths(options, roots)
  const chains = new Map<string, readonly ProfileDocument[]>()
  for (const path of linted) chains.set(path, await readChain(path, roots))
  // The other profiles in these folders are read too, as files that they use are not dead. The library's own files never are.
  const beside = new Set(linted.map((path) => dirname(path)).filter((folder) => folder !== shippedProfilesFolder))
  const siblings = [...beside].flatMap(tomlFiles).filter((path) => !chains.has(path))
  for (const path of siblings) {
    const chain = await readChain(path, roots)
    // In a folder `profiles` an unreadable file is a broken profile; elsewhere it is another file, such as `pyproject.toml`.
    if (chain.length > 0 || basename(dirname(path)) === "profiles") chains.set(path, chain)
  }
  const given = options.promptFolder === undefined ? [] : [resolve(options.promptFolder)]
  const folders = [...given, ...linted.flatMap((path) => promptFolders(path, chains.get(path) ?? []))]
  // A folder that is named in two ways is read once.
  const distinct = new Map(folders.map((folder) => [isFolder(folder) ? realpathSync(folder) : folder, folder]))
  const named = [...chains.values()].flatMap((chain) => optionPaths(chain, [...distinct.values()]))
  const files = [...distinct.values()].flatMap(readPromptFolder).map((file) => asNamed(file, named))
  const profiles: LintProfile[] = []
  for (const [path, chain] of chains) {
    for (const locale of localesFor(chain, files, options))
      profiles.push(withoutKnown(await readLintProfile(chain, { path, roots, locale, linted: linted.includes(path) }), files))
  }
  return {
    files: [...files, ...readLooseFiles(profiles, files), ...profileFiles(linted, chains)],
    profiles,
    // Each language has the same names.
    shippedNames: namesInSources([...shippedDialectNames(), shared].flatMap((name) => shippedPrompts(name, "en"))),
    traces: (options.traces ?? []).flatMap(readTraces),
  }
}

function profilePaths({ profiles = [], promptFolder }: LintFilesOptions, roots: readonly string[]): string[] {
  if (profiles.length > 0) return [...new Set(profiles.map((name) => findProfile(name, { folder: process.cwd(), roots })))]
  const own = tomlFiles(resolve("profiles"))
  return own.length > 0 || promptFolder !== undefined ? own : tomlFiles(shippedProfilesFolder)
}

/** The prompts folders of a profile. The library's own is among them only for the library's own profiles. */
function promptFolders(path: string, chain: readonly ProfileDocument[]): string[] {
  return [promptsFolderOf(path), promptFolderOf(chain)].filter((folder) => folder !== undefined).filter(isFolder)
}

/** The files and folders that plugins' options name, such as a world book: they may lie anywhere. */
function optionPaths(chain: readonly ProfileDocument[], promptFolders: readonly string[]): string[] {
  return chain.flatMap(({ path, settings }) =>
    Object.values(settings.plugins?.options ?? {})
      .flatMap((options) => Object.values(options))
      .filter((value): value is string => typeof value === "string" && isTextPath(value))
      .flatMap((reference) => textPathsOf(reference, { folder: dirname(path), promptFolders }))
      .filter((found) => existsSync(found)),
  )
}

/** A file that a plugin reads is no prompt or persona, whatever its folder says. */
function asNamed(file: LintFile, named: readonly string[]): LintFile {
  if (file.shipped || !named.some((path) => path === file.path || file.path.startsWith(`${path}${sep}`))) return file
  const faults = file.faults.filter(({ rule }) => rule === "unreadable-file" || rule === "front-matter")
  return { ...file, kind: "character", template: undefined, faults }
}

/** A profile's own file and the files that it extends, nearest first; none if one of them is broken. */
async function readChain(path: string, roots: readonly string[]): Promise<readonly ProfileDocument[]> {
  try {
    return await readProfileChain(path, roots)
  } catch {
    // Loading the profile reports the mistake.
    return []
  }
}

/** Loads a profile as `loadProfile` does. The mistakes of one that does not load are among its faults. */
async function readLintProfile(
  chain: readonly ProfileDocument[],
  { path, roots, locale, linted }: Pick<LintProfile, "locale" | "linted"> & { path: string; roots: readonly string[] },
): Promise<LintProfile> {
  const file = displayPath(path)
  const folder = promptFolderOf(chain)
  const documents = chain.map(({ file: shown, text, data, positions }) => ({
    file: shown,
    data,
    locate: (key: readonly PropertyKey[]) => positionAt(text, offsetOf(positions, key)),
  }))
  const common = { file, locale, linted, documents, promptFolder: folder === undefined ? undefined : displayPath(folder) }
  try {
    const guesses: string[] = chain.some(({ settings }) => settings.locale !== undefined) ? [] : [noLocale]
    const profile = await loadProfile(path, { locale, roots, env: {}, onWarning: (message) => guesses.push(message) })
    // Plugins are looked at and never run, so what they hold open is freed. One that fails or hangs then is no fault of the profile.
    await closePlugins(profile.plugins, { timers: hostPorts.timers, timeoutMs: 2_000 }).catch(() => undefined)
    const dialect = typeof profile.dialect === "string" ? shippedDialect(profile.dialect, profile.locale) : profile.dialect
    const isOwn = linted && dirname(path) !== shippedProfilesFolder
    const faults = (isOwn ? guesses : []).map((message): LintFault => ({ ...guessed, message, file }))
    faults.push(...cardFaults(profile), ...spriteFaults(profile, file))
    return { ...common, profile, dialect, uses: textsOf(profile), faults }
  } catch (error) {
    return { ...common, uses: [], faults: linted ? errorFaults(error, file) : [] }
  }
}

const guessed = { rule: "guessed", severity: "warning", position: { line: 1, column: 1 } } as const

const noLocale = 'expected locale = "en" or locale = "zh-CN", found none: the language depends on where the profile is used.'

/** The path of the prompts folder whose files replace those of a profile's dialect. */
function promptFolderOf(chain: readonly ProfileDocument[]): string | undefined {
  for (const { path, settings } of chain) {
    const folder = settings.prompt?.folder
    if (folder !== undefined) return resolve(dirname(path), folder)
  }
  return undefined
}

function textsOf({ persona, format, final, skills }: Profile): string[] {
  const sources = [persona.source, format?.source, final.system?.source, ...skills.map(({ source }) => source)]
  return sources.flatMap((source) => (source === undefined ? [] : [source.file]))
}

/** Removes from a profile the faults of prompt files that were read: each of those files has all of its faults itself. */
function withoutKnown(profile: LintProfile, files: readonly LintFile[]): LintProfile {
  const read = new Set(files.map(({ file }) => file))
  return { ...profile, faults: profile.faults.filter(({ rule, file }) => rule === "profile" || !read.has(file)) }
}

function localesFor(
  [document]: readonly ProfileDocument[],
  files: readonly LintFile[],
  { locale }: LintFilesOptions,
): readonly string[] {
  if (locale !== undefined) return [promptLocale({ option: locale, env: {} })]
  if (document?.settings.locale !== undefined) return [document.settings.locale]
  const found = new Set(files.flatMap((file) => (file.locale !== undefined && isLocale(file.locale) ? [file.locale] : [])))
  return found.size > 0 ? [...found].sort() : ["en"]
}

/** Profiles as files, for the rules that look at every file's text. */
function profileFiles(linted: readonly string[], chains: ReadonlyMap<string, readonly ProfileDocument[]>): LintFile[] {
  const isShipped = (path: string) => dirname(path) === shippedProfilesFolder
  const inherited = linted.flatMap((path) => (chains.get(path) ?? []).map((document) => document.path))
  const paths = new Set([...linted, ...inherited.filter((path) => !isShipped(path))])
  return [...paths].map((path) => {
    const place = { kind: "profile", root: "", folder: "profiles", name: basename(path, ".toml") } as const
    return { ...place, file: displayPath(path), path, text: profileText(path), shipped: isShipped(path), loads: [], faults: [] }
  })
}

function profileText(path: string): string {
  // Loading the profile reports the mistake.
  return attempt(() => readTextFile(path), "")
}

function tomlFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder).filter((file) => file.endsWith(".toml"))
  return files.sort().map((file) => join(folder, file))
}

/** The largest file of traces that is read: 64 MiB. */
const maxTraceBytes = 64 * 1024 * 1024

/** The traces among the lines that `promptstrata chat --json --show trace` prints. Throws `file` for a line that is no JSON. */
function readTraces(path: string): TurnTrace[] {
  const file = displayPath(path)
  return readTextFile(path, file, { maxBytes: maxTraceBytes, kind: "file of traces" })
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : traceIn(parseLine(line, { file, line: at + 1 }))))
}

function parseLine(line: string, source: { readonly file: string; readonly line: number }): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    const hint = "promptstrata chat --json --show trace prints such lines."
    throw new PromptStrataError("file", "expected a line of JSON.", { source, hint, cause })
  }
}

function traceIn(data: unknown): TurnTrace[] {
  const { result, trace }: { readonly result?: unknown; readonly trace?: unknown } = Object(data)
  const found: Partial<TurnTrace> = Object(Object(result).trace ?? trace ?? data)
  return Array.isArray(found.prestart) && Array.isArray(found.runs) ? [found as TurnTrace] : []
}
