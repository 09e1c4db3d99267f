import { basename, resolve } from "node:path"
import type { Clock, Timers } from "../core/ports.ts"
import type { Dialect } from "../dialect/dialect.ts"
import type { Skill } from "../layers/skills.ts"
import type { Profile } from "../profile/profile.ts"
import { resolveProfile } from "../profile/resolve.ts"
import type { Plugin } from "../services/plugin.ts"
import { findProfile } from "./find-profile.ts"
import { promptsFolderOf } from "./find-text.ts"
import { chooseLocale } from "./locale.ts"
import { mergeChain, readProfileChain } from "./profile-chain.ts"
import { findProfileDialect } from "./profile-dialect.ts"
import { withDocuments } from "./profile-documents.ts"
import { profileOutput } from "./profile-output.ts"
import { checkPluginOptions, checkPluginTools, loadProfilePlugins } from "./profile-plugins.ts"
import { checkReflectSchedule } from "./profile-schedule.ts"
import type { ProfileFile } from "./profile-schema.ts"
import { type ProfileSearch, refuseReported } from "./profile-search.ts"
import { profileSettings } from "./profile-settings.ts"
import { loadProfileSkills, withModes } from "./profile-skills.ts"
import { findProfileTexts, type ProfileTexts } from "./profile-texts.ts"
import { checkEnabledTools, makeProfileTools } from "./profile-tools.ts"
import { checkVariables, profileVariables } from "./profile-variables.ts"
import { withVirtualContext } from "./profile-virtual-context.ts"
import { readProfileWords } from "./profile-words.ts"
import type { ProfileDocument } from "./read-profile-file.ts"
import { shippedProfilesFolder } from "./shipped-files.ts"
import { skillMounts } from "./skills/skill-mounts.ts"

/** Where a profile comes from and in which language. */
export interface LoadProfileOptions {
  /** What the user asked for; else the profile's, else the environment's. */
  readonly locale?: string | undefined
  /** Folders in which names are looked up. Default: `./profiles`, then the shipped ones. */
  readonly roots?: readonly string[]
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Where built-in tools and plugins keep their files; made when one is first written. Default: `./data`. */
  readonly dataFolder?: string
  /** The time of built-in tools and plugins. Default: the host's. */
  readonly clock?: Clock
  /** Default: the host's. */
  readonly timers?: Timers
  /** For a plugin's module to load and for its function to return, each. Default 10,000. */
  readonly pluginTimeoutMs?: number
}

/**
 * Loads a profile by name (`fay`) or path (`./bots/fay.toml`) from TOML, with what it extends and every file it names, read anew
 * each time (L9, L13), makes the built-in tools and loads the plugins it enables. Throws `profile-missing` with where it looked;
 * `profile` with every mistake's file, line, column and a suggestion; and errors of the files it names. No plugin is loaded for a
 * profile that has another mistake.
 */
export async function loadProfile(nameOrPath: string, options: LoadProfileOptions = {}): Promise<Profile> {
  return readProfile(nameOrPath, options)
}

/** {@link loadProfile}; `made` keeps plugins of modules from one time to the next. */
export async function readProfile(
  nameOrPath: string,
  options: LoadProfileOptions,
  made: Map<string, Plugin> = new Map(),
): Promise<Profile> {
  const parts = findParts(nameOrPath, options)
  const { path, chain, file, search, texts, dialect } = parts
  const { locale } = search
  const dataFolder = resolve(options.dataFolder ?? "data")
  await checkReflectSchedule(search)
  refuseReported(search)
  const words = readProfileWords(file, texts)
  const { skills, plugins } = await loadExtensions(parts, { ...options, dataFolder, made })
  const format = words.parser(plugins)
  const settings = profileSettings(file, chain, dataFolder)
  const mounts = skillMounts([...skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])])
  const { files } = settings
  const tools = makeProfileTools(file, { locale, dataFolder, clock: options.clock, promptFolder: texts.folder, files, mounts })
  checkPluginTools(search, plugins, tools.builtin)
  refuseReported(search)
  const profile = resolveProfile({
    name: basename(path, ".toml"),
    locale,
    ...(dialect === undefined ? {} : { dialect }),
    ...settings,
    ...words.input,
    variables: profileVariables(chain),
    tools,
    skills,
    plugins,
    ...(file.time_zone === undefined ? {} : { timeZone: file.time_zone }),
    output: { ...profileOutput(file, settings.files, options.clock), ...(format ? { format } : {}) },
  })
  const remembering = withVirtualContext(profile, file, { promptFolder: texts.folder })
  return withDocuments(remembering, { promptFolder: texts.folder, clock: options.clock, mounts })
}

interface ProfileParts {
  readonly path: string
  readonly chain: readonly ProfileDocument[]
  readonly file: ProfileFile
  readonly search: ProfileSearch
  readonly texts: ProfileTexts
  readonly dialect: Dialect | undefined
  readonly skills: readonly Skill[]
}

/** Everything that a profile is made of but plugins; throws all that is wrong with it as one error, before any plugin runs. */
function findParts(nameOrPath: string, options: LoadProfileOptions): ProfileParts {
  const { env = process.env, roots = [resolve("profiles"), shippedProfilesFolder] } = options
  const path = findProfile(nameOrPath, { folder: process.cwd(), roots })
  const chain = readProfileChain(path, roots)
  const file = mergeChain(chain)
  const locale = chooseLocale({ option: options.locale, profile: file.locale, env })
  const search: ProfileSearch = { chain, locale, problems: new Map() }
  const texts = findProfileTexts(search)
  const dialect = findProfileDialect(search, texts.folder)
  const skills = loadProfileSkills(search, texts.folder)
  checkEnabledTools(search)
  checkPluginOptions(search)
  checkVariables(search)
  refuseReported(search)
  return { path, chain, file, search, texts, dialect, skills }
}

async function loadExtensions(
  { path, file, search, texts, skills }: ProfileParts,
  { dataFolder, clock, timers, pluginTimeoutMs, made }: LoadProfileOptions & { dataFolder: string; made: Map<string, Plugin> },
): Promise<Pick<Profile, "skills" | "plugins">> {
  const plugins = await loadProfilePlugins(search, {
    ...(file.plugins?.options ? { options: file.plugins.options } : {}),
    promptFolders: [...(texts.folder === undefined ? [] : [texts.folder]), promptsFolderOf(path)],
    dataFolder,
    ...(clock ? { clock } : {}),
    ...(timers ? { timers } : {}),
    ...(pluginTimeoutMs === undefined ? {} : { timeoutMs: pluginTimeoutMs }),
    made,
  })
  refuseReported(search)
  const extensions = withModes(search, file, { skills, plugins })
  refuseReported(search)
  return extensions
}
