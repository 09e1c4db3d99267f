import { basename, extname, resolve } from "node:path"
import { checkOptions, checkType } from "../../core/check-options.ts"
import { type Clock, hostPorts, type Timers } from "../../core/ports.ts"
import type { VirtualContextOptions } from "../../memory/forgetting/plugin/virtual-context-settings.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { Profile } from "../../profile/profile.ts"
import { type ProfileFile, profileFileKeys } from "../../profile/profile-file-keys.ts"
import { resolveProfile, withDefaults } from "../../profile/resolve.ts"
import { promptsWithOwn } from "../builtin-tools.ts"
import { isCardPath } from "../cards/card-path.ts"
import { promptsFolderOf } from "../find-text.ts"
import { environmentLocale, promptLocale } from "../locale.ts"
import { shippedProfilesFolder } from "../shipped-files.ts"
import { skillMounts } from "../skills/skill-mounts.ts"
import { findProfile, mergeChain, type ProfileSearch, readProfileChain, refuseReported } from "./profile-chain.ts"
import type { ProfileDocument } from "./profile-document.ts"
import { checkPluginOptions, checkPluginTools, findLorebooks, loadProfilePlugins, readLorebooks } from "./profile-plugins.ts"
import { checkReflectSchedule, checkVariables, profileSettings, profileVariables } from "./profile-settings.ts"
import { loadProfileSkills, type SkilledParts, withModes } from "./profile-skills.ts"
import { findProcesses, findProfileDialect, findProfileTexts, readProfileTexts, toneVariables } from "./profile-texts.ts"
import { checkEnabledTools, makeProfileTools, profileOutput, type ToolSurroundings, withDocuments } from "./profile-tools.ts"

/** The place of a profile, its language, and what its tools and plugins use. */
export interface LoadProfileOptions {
  /** The language that the user asked for. Default: the profile's, else the environment's. */
  readonly locale?: string | undefined
  /** The time zone if the profile names none. Default: the host's. */
  readonly timeZone?: string | undefined
  /** Folders in which names are looked up. Default: `./profiles`, then the shipped ones. */
  readonly roots?: readonly string[]
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The folder in which built-in tools and plugins keep their files. It is made when one is first written. Default: `./data`. */
  readonly dataFolder?: string
  /** The clock of built-in tools and plugins. Default: the host's. */
  readonly clock?: Clock
  /** Default: the host's. */
  readonly timers?: Timers
  /** The number of the greeting that conversations begin with, if the persona is a character card. Default: the profile's, else 1. */
  readonly greeting?: number | undefined
  /** The name of the user in private conversations, in place of the profile's. */
  readonly userName?: string | undefined
  /** How long the module of a plugin may take to load, and then its function to return. Default 10,000 for each. */
  readonly pluginTimeoutMs?: number
  /** Called with what the profile leaves open and was guessed (its language, the agent's name), and of a USER.md that `memory.store = "documents"` found there. Default: `console.warn`, once for each message. */
  readonly onWarning?: (message: string) => void
}

/** The names of the options, so that another one is an error. */
export const loadProfileOptions = "locale timeZone roots env dataFolder clock timers greeting userName pluginTimeoutMs onWarning"

/**
 * Loads a profile by name (`fay`) or path (`./bots/fay.toml`) from TOML, with the profiles it extends and every file it names. All
 * is read anew each time (L9, L13). Makes the built-in tools and loads the plugins that the profile enables. Throws
 * `usage` for an unknown option; `profile-missing` with the places where it looked; `profile` with file, line, column and a suggestion for every mistake; and the
 * errors of the files that the profile names. No plugin is loaded for a profile that has another mistake.
 */
export async function loadProfile(nameOrPath: string, options: LoadProfileOptions = {}): Promise<Profile> {
  checkType("the nameOrPath of loadProfile", nameOrPath, "string")
  checkOptions("loadProfile", options, loadProfileOptions)
  return readProfile(nameOrPath, options)
}

/** Everything beside its files that a load depends on. */
interface LoadSources {
  /** The plugins of modules from one load to the next. */
  readonly made?: Map<string, Plugin>
  /** The name of a dialect in place of the profile's. */
  readonly dialect?: string | undefined
}

/** {@link loadProfile}, with plugins that are there already or with another dialect. */
export async function readProfile(
  nameOrPath: string,
  options: LoadProfileOptions,
  { made = new Map(), dialect: chosen }: LoadSources = {},
): Promise<Profile> {
  const parts = await findParts(nameOrPath, options, chosen)
  const { path, file, search, texts, dialect, processes } = parts
  const { chain, locale } = search
  const dataFolder = resolve(options.dataFolder ?? "data")
  await checkReflectSchedule(search)
  refuseReported(search)
  const { clock = hostPorts.clock } = options
  const { words, books, tone } = await readWords(parts, options)
  const { skills, plugins } = await loadExtensions(parts, { ...options, dataFolder, made })
  const format = words.parser(plugins)
  tellGuesses(parts, words.input.agent.name, options)
  const settings = profileSettings(file, chain, dataFolder)
  const surroundings: ToolSurroundings = {
    locale,
    dataFolder,
    clock,
    timeZone: file.timeZone,
    promptFolder: texts.folder,
    files: settings.files,
    mounts: skillMounts([...skills, ...plugins.flatMap((plugin) => plugin.skills ?? [])]),
  }
  const tools = makeProfileTools(file, plugins, surroundings)
  checkPluginTools(search, plugins, tools.builtin)
  refuseReported(search)
  const profile = resolveProfile({
    ...settings,
    ...words.input,
    name: profileName(path),
    locale,
    dialect,
    processes,
    variables: { ...tone, ...profileVariables(chain) },
    tools,
    skills,
    plugins: [...plugins, ...words.plugins, ...books],
    output: { ...profileOutput(file, surroundings), format },
  })
  const whole = await withVirtualContext(profile, file, texts.folder)
  return withDocuments(whole, { ...surroundings, path }, options.onWarning ?? warnOnce)
}

/** Reads the texts that a profile names. */
async function readWords({ file, search, texts, dialect, lorebooks }: ProfileParts, options: LoadProfileOptions) {
  const { locale } = search
  const { clock = hostPorts.clock } = options
  const { timeZone, prompt: { scripts, greeting: usual } = {} } = file
  const userName = options.userName ?? file.user?.name
  const lore = withDefaults(profileFileKeys.keys.lorebook.keys, { ...file.lorebook })
  const note = withDefaults(profileFileKeys.keys.authorNote.keys, { ...file.authorNote })
  const greeting = options.greeting ?? usual
  const words = await readProfileTexts(file, texts, { locale, userName, clock, timeZone, greeting, lore, dialect, scripts })
  return {
    words,
    books: await readLorebooks(lorebooks, lore, { locale, timeZone, userName, note }),
    tone: toneVariables(search, texts),
  }
}

/** Reads all texts of a profile and loads no plugin. Resolves to the paths of its chain, nearest first, and its prompts folder. */
export async function readAllTexts(
  nameOrPath: string,
  options: LoadProfileOptions,
): Promise<{ readonly chain: readonly string[]; readonly folder: string | undefined }> {
  const parts = await findParts(nameOrPath, options, undefined)
  await readWords(parts, options)
  return { chain: parts.search.chain.map(({ path }) => path), folder: parts.texts.folder }
}

function profileName(path: string): string {
  return basename(path, isCardPath(path) ? extname(path) : ".toml")
}

type ProfileParts = Awaited<ReturnType<typeof findParts>>

/** Everything that a profile is made of but plugins. Throws all that is wrong with it as one error, before any plugin runs. */
async function findParts(nameOrPath: string, options: LoadProfileOptions, chosenDialect: string | undefined) {
  const { env = process.env, roots = [resolve("profiles"), shippedProfilesFolder] } = options
  const path = findProfile(nameOrPath, { folder: process.cwd(), roots })
  const chain = withDialect(await readProfileChain(path, roots), chosenDialect)
  const merged = mergeChain(chain)
  const file = { ...merged, timeZone: merged.timeZone ?? options.timeZone }
  const locale = promptLocale({ option: options.locale, profile: file.locale, env })
  const search: ProfileSearch = { chain, locale, problems: new Map() }
  const texts = findProfileTexts(search)
  const dialect = findProfileDialect(search, texts.folder)
  const processes = findProcesses(search, file, texts.folder)
  const skills = loadProfileSkills(search, texts.folder)
  const lorebooks = findLorebooks(search)
  checkEnabledTools(search)
  checkPluginOptions(search)
  checkVariables(search)
  refuseReported(search)
  return { path, file, search, texts, dialect, processes, skills, lorebooks }
}

function withDialect(chain: ProfileDocument[], dialect: string | undefined): ProfileDocument[] {
  const [nearest] = chain
  if (nearest === undefined || dialect === undefined) return chain
  return chain.with(0, { ...nearest, settings: { ...nearest.settings, prompt: { ...nearest.settings.prompt, dialect } } })
}

/** Says what neither the profile nor the caller decided. A profile without a persona, such as `soul`, names nobody on purpose. */
function tellGuesses(parts: ProfileParts, agentName: string | undefined, options: LoadProfileOptions): void {
  const { path, file, search, texts, dialect } = parts
  const { locale, env = process.env, onWarning = warnOnce } = options
  if (locale === undefined && file.locale === undefined && environmentLocale(env) === undefined) onWarning(unsaidLocale)
  if (dialect && dialect.locale.split("-")[0] !== search.locale.split("-")[0])
    onWarning(`The prompts are in ${dialect.locale}, because there are none in ${search.locale}.`)
  if (agentName === undefined && texts.persona !== undefined) {
    const name = JSON.stringify(profileName(path))
    const advice = "Write name = … into [agent] of the profile, or into the front matter of the persona."
    onWarning(`The agent is called ${name} after its profile's file, because nothing names it. ${advice}`)
  }
}

const unsaidLocale =
  'English is used, because nothing names a language of the prompts, en or zh-CN: not the profile, not the option locale, not LC_ALL, LC_MESSAGES or LANG. Write locale = "en" or locale = "zh-CN" into the profile, or give the option.'

const warned = new Set<string>()

function warnOnce(message: string): void {
  if (!warned.has(message)) console.warn(`promptstrata: ${message}`)
  warned.add(message)
}

async function loadExtensions(
  { path, file, search, texts, skills }: ProfileParts,
  { dataFolder, clock, timers, pluginTimeoutMs, made }: LoadProfileOptions & { dataFolder: string; made: Map<string, Plugin> },
): Promise<SkilledParts> {
  const plugins = await loadProfilePlugins(search, {
    options: file.plugins?.options ?? {},
    promptFolders: [...(texts.folder === undefined ? [] : [texts.folder]), promptsFolderOf(path)],
    dataFolder,
    persona: texts.persona,
    ...{ clock, timers, timeoutMs: pluginTimeoutMs, made },
  })
  refuseReported(search)
  const extensions = withModes(search, file, { skills, plugins })
  refuseReported(search)
  return extensions
}

const { events, workspace, pulled, compression } = profileFileKeys.keys

/** A profile with its virtual context as a plugin, where its file has one of the tables that set it (R11). */
async function withVirtualContext(profile: Profile, file: ProfileFile, promptFolder: string | undefined): Promise<Profile> {
  if (!(file.events || file.workspace || file.pulled || file.compression)) return profile
  const { createVirtualContext } = await import("../../memory/forgetting/plugin/virtual-context.ts")
  const plugin = createVirtualContext({
    locale: profile.locale,
    prompts: promptsWithOwn(profile.locale, promptFolder),
    ...virtualContextInput(file, profile.timeZone),
  })
  return { ...profile, plugins: [...profile.plugins, plugin] }
}

/** The four tables as `createVirtualContext` takes them. */
function virtualContextInput(file: ProfileFile, timeZone: string | undefined): VirtualContextOptions {
  const { miniFullContextCount, ...shortening } = withDefaults(compression.keys, file.compression ?? {})
  return {
    events: eventsInput({ ...file.events, timeZone: file.events?.timeZone ?? timeZone }),
    workspace: workspaceInput(file.workspace),
    pulled: withDefaults(pulled.keys, file.pulled ?? {}),
    compression: { ...shortening, fullMessages: miniFullContextCount },
  }
}

function eventsInput(given: NonNullable<ProfileFile["events"]>): Required<VirtualContextOptions>["events"] {
  const { rememberYears, rememberMonths, rememberWeeks, rememberDays, rememberTopics, ...others } = withDefaults(
    events.keys,
    given,
  )
  const { weightStability, weightRetrievability, weightImportance, weightRelevance, topicGapMinutes, ...rest } = others
  return {
    ...rest,
    topicGapMs: topicGapMinutes * 60_000,
    keep: { year: rememberYears, month: rememberMonths, week: rememberWeeks, day: rememberDays, moment: rememberTopics },
    weights: {
      stability: weightStability,
      retrievability: weightRetrievability,
      importance: weightImportance,
      relevance: weightRelevance,
    },
  }
}

function workspaceInput(given: ProfileFile["workspace"] = {}): Required<VirtualContextOptions>["workspace"] {
  const { clock, turnsPerDay, evictBelow, maxItems, shownItems, shownCharacters, ...decay } = withDefaults(workspace.keys, given)
  const counting = { turns: { by: "turns", turnsPerDay }, days: { by: "days" } } as const
  return { clock: counting[clock], evictBelow, maxItems, shownItems, shownCharacters, decay }
}
