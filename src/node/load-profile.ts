import { basename, resolve } from "node:path"
import type { Clock } from "../core/ports.ts"
import type { Profile } from "../profile/profile.ts"
import type { ProfileInput } from "../profile/profile-input.ts"
import { resolveProfile } from "../profile/resolve.ts"
import { builtinTools } from "./builtin-tools.ts"
import { camelKeys } from "./camel-keys.ts"
import { findProfile } from "./find-profile.ts"
import { type Persona, readPersona } from "./load-persona.ts"
import { chooseLocale } from "./locale.ts"
import { mergeChain, readProfileChain } from "./profile-chain.ts"
import { findProfileDialect } from "./profile-dialect.ts"
import type { ProfileFile } from "./profile-schema.ts"
import { type ProfileSearch, refuseReported } from "./profile-search.ts"
import { findProfileTexts, type ProfileTexts } from "./profile-texts.ts"
import { checkEnabledTools } from "./profile-tools.ts"
import { profileVariables } from "./profile-variables.ts"
import { readWholeText } from "./read-whole-text.ts"
import { shippedProfilesFolder } from "./shipped-files.ts"

/** Where a profile comes from and in which language. */
export interface LoadProfileOptions {
  /** What the user asked for; else the profile's, else the environment's. */
  readonly locale?: string | undefined
  /** Folders in which names are looked up. Default: `./profiles`, then the shipped ones. */
  readonly roots?: readonly string[]
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Where built-in tools keep their files; made when one is first written. Default: `./data`. */
  readonly dataFolder?: string
  /** The time of built-in tools. Default: the host's. */
  readonly clock?: Clock
}

/**
 * Loads a profile by name (`fay`) or path (`./bots/fay.toml`) from TOML, with what it extends and every file it names, read anew
 * each time (L9, L13), and makes the built-in tools it enables. Throws `profile-missing` with where it looked; `profile` with
 * every mistake's file, line, column and a suggestion; and errors of the files it names.
 */
export async function loadProfile(nameOrPath: string, options: LoadProfileOptions = {}): Promise<Profile> {
  const { env = process.env, roots = [resolve("profiles"), shippedProfilesFolder] } = options
  const path = findProfile(nameOrPath, { folder: process.cwd(), roots })
  const chain = readProfileChain(path, roots)
  const file = mergeChain(chain)
  const locale = chooseLocale({ option: options.locale, profile: file.locale, env })
  const search: ProfileSearch = { chain, locale, problems: new Map() }
  const texts = findProfileTexts(search)
  const dialect = findProfileDialect(search, texts.folder)
  checkEnabledTools(search)
  refuseReported(search)
  const { enabled = [], ...tools } = camelKeys(file.tools ?? {})
  return resolveProfile({
    name: basename(path, ".toml"),
    locale,
    ...(dialect === undefined ? {} : { dialect }),
    ...settingsOf(file),
    ...wordsOf(file, texts),
    variables: profileVariables(chain),
    tools: { ...tools, enabled, builtin: makeTools(enabled, { locale, options, texts }) },
  })
}

interface ToolSurroundings {
  readonly locale: string
  readonly options: LoadProfileOptions
  readonly texts: ProfileTexts
}

function makeTools(names: readonly string[], { locale, options, texts }: ToolSurroundings): Profile["tools"]["builtin"] {
  const { dataFolder = resolve("data"), clock = { nowMs: () => Date.now() } } = options
  return builtinTools(names, { locale, clock, dataFolder, ...(texts.folder === undefined ? {} : { promptFolder: texts.folder }) })
}

function settingsOf(file: ProfileFile): ProfileInput {
  return {
    loop: camelKeys(file.loop ?? {}),
    limits: camelKeys(file.limits ?? {}),
    retry: camelKeys(file.retry ?? {}),
    history: camelKeys(file.history ?? {}),
    budget: camelKeys(file.budget ?? {}),
    memory: camelKeys(file.memory ?? {}),
    // Copied, as TOML's tables have no prototype and tools expect ordinary objects.
    prestart: structuredClone(file.prestart ?? []).map((entry) => camelKeys(entry)),
    model: camelKeys(file.model ?? {}),
  }
}

/** What the profile says of names goes before what the persona says. */
function wordsOf(file: ProfileFile, texts: ProfileTexts): ProfileInput {
  const persona: Partial<Persona> = texts.persona === undefined ? {} : readPersona(texts.persona)
  const agentName = file.agent?.name ?? persona.name
  const userName = file.user?.name ?? persona.userName
  return {
    agent: { ...file.agent, ...(agentName === undefined ? {} : { name: agentName }) },
    user: userName === undefined ? {} : { name: userName },
    ...(persona.text === undefined ? {} : { persona: persona.text }),
    ...(texts.format === undefined ? {} : { format: readWholeText(texts.format, { kind: "format", attributes: [] }).text }),
    final:
      texts.finalSystem === undefined
        ? {}
        : { system: readWholeText(texts.finalSystem, { kind: "system message", attributes: [] }).text },
  }
}
