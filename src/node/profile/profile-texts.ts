import { basename, dirname, extname, join } from "node:path"
import { didYouMean } from "../../core/suggest.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { defaultProcessDialect } from "../../profile/keys/turn.ts"
import type { Profile, ProfileInput } from "../../profile/profile.ts"
import type { ProfileFile } from "../../profile/profile-file-keys.ts"
import { defaultDialect } from "../../profile/profile-keys.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { configureFormat, formatNamed, formats } from "../../reply/output/formats.ts"
import type { OutputFormat } from "../../reply/output/output-part.ts"
import { readPlainText, readWholeText } from "../authored-text.ts"
import { isCardPath, loadCards, loadSprites } from "../cards/card-path.ts"
import type { CardSurroundings } from "../cards/card-persona.ts"
import { fileExists, isFolder } from "../file-log.ts"
import { findText, lookedFor, promptsFolderOf, type TextKind } from "../find-text.ts"
import { type Persona, readPersona } from "../load-persona.ts"
import { knownDialects, readDialect } from "../read-dialect.ts"
import { displayPath, shippedPromptsFolder } from "../shipped-files.ts"
import { absolutePath, nearestSetting, type ProfileSearch, report, type SettingPlace } from "./profile-chain.ts"

type TextKey = "persona" | "format" | "finalSystem"

/** The files and the prompts folder that `[prompt]` names, as absolute paths. */
export type ProfileTexts = { readonly [K in "folder" | "sprites" | TextKey]: string | undefined }

/** Finds what `[prompt]` names, each path relative to the file it stands in, and reports what is not there (L9). */
export function findProfileTexts(search: ProfileSearch): ProfileTexts {
  const folder = findFolder(search, "folder", "prompt files")
  return {
    folder,
    sprites: findFolder(search, "sprites", "pictures"),
    persona: findPath(search, "persona", { kind: "characters", folder }),
    format: findPath(search, "format", { kind: "formats", folder }),
    finalSystem: findPath(search, "finalSystem", { kind: "final", folder }),
  }
}

function findFolder(search: ProfileSearch, key: "folder" | "sprites", files: string): string | undefined {
  const setting = nearestSetting(search.chain, "prompt", key)
  if (setting === undefined) return undefined
  const folder = absolutePath(setting)
  if (isFolder(folder)) return folder
  report(search, setting, `expected a folder of ${files}, found none at ${displayPath(folder)}.`)
  return undefined
}

function findPath(
  search: ProfileSearch,
  key: TextKey,
  { kind, folder }: { readonly kind: TextKind; readonly folder: string | undefined },
): string | undefined {
  const setting = nearestSetting(search.chain, "prompt", key)
  if (setting === undefined) return undefined
  const { document, value } = setting
  const promptFolders = [...(folder === undefined ? [] : [folder]), promptsFolderOf(document.path)]
  const found = findText(value, { kind, locale: search.locale, folder: dirname(document.path), promptFolders })
  if ("path" in found) return found.path
  const known = found.known.length > 0 ? ` Known: ${found.known.join(", ")}.` : ""
  const message = `expected a file, found none called ${JSON.stringify(value)}.${didYouMean(value, found.known) || known}`
  report(search, setting, message, lookedFor(found.searched))
  return undefined
}

/** The dialect that a profile names, compiled with the user's files. Reports an unknown one and returns none. */
export function findProfileDialect(search: ProfileSearch, folder: string | undefined): Dialect | undefined {
  const setting = nearestSetting(search.chain, "prompt", "dialect")
  return findDialect(search, setting, { name: setting?.value ?? defaultDialect, folder })
}

/** The processes of a file (R25), each with its dialect compiled from the user's files. Reports a dialect that is not there. */
export function findProcesses(search: ProfileSearch, file: ProfileFile, folder: string | undefined): Profile["processes"] {
  const found = Object.entries(file.processes ?? {}).map(([process, { dialect: name = defaultProcessDialect, ...settings }]) => {
    const document = search.chain.find((each) => each.settings.processes?.[process]?.dialect !== undefined)
    const place = document && { document, path: ["processes", process, "dialect"] }
    return [process, { ...settings, dialect: findDialect(search, place, { name, folder }) }] as const
  })
  return Object.fromEntries(found)
}

function findDialect(
  search: ProfileSearch,
  place: SettingPlace | undefined,
  { name, folder }: { readonly name: string; readonly folder: string | undefined },
): Dialect | undefined {
  const dialect = readDialect({ name, locale: search.locale, folder })
  if (dialect === undefined && place !== undefined) {
    const known = knownDialects(folder)
    report(search, place, `expected a dialect (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`)
  }
  return dialect
}

/** The file of the dialect `root` that holds the corpus of its own character. */
const shippedCorpus = "examples_hareru.txt"

/**
 * The variables by which the tone goes with the persona (R29): the corpus `examples.txt` in the folder of its name, beside it. A
 * persona that takes the place of the extended profile's has none otherwise, unless the user's folder replaces the shipped corpus.
 * Other dialects than `root` have no corpus, and are told nothing.
 */
export function toneVariables({ chain, locale }: ProfileSearch, { persona, folder }: ProfileTexts): ProfileInput["variables"] {
  if (persona === undefined) return {}
  const own = join(dirname(persona), basename(persona, extname(persona)), "examples.txt")
  if (fileExists(own)) return { examples_context: readPlainText(own, "corpus") }
  const personas = new Set(chain.flatMap(({ settings }) => settings.prompt?.persona ?? []))
  const dialect = nearestSetting(chain, "prompt", "dialect")?.value ?? defaultDialect
  if (!fileExists(join(shippedPromptsFolder, dialect, "en", shippedCorpus))) return {}
  if (folder !== undefined && fileExists(join(folder, dialect, locale, shippedCorpus))) return {}
  const isGiven = chain.some(({ settings }) => settings.variables?.examples_context !== undefined)
  return personas.size > 1 && !isGiven ? { own_tone: true } : {}
}

/** Reads persona, format and system message. Names and a colour that the profile gives win over those of the persona. */
export async function readProfileTexts(file: ProfileFile, texts: ProfileTexts, surroundings: CardSurroundings) {
  const { persona: path } = texts
  const isCard = path !== undefined && isCardPath(path)
  const card = isCard ? (await loadCards()).readCardPersona(path, surroundings) : undefined
  const persona: Partial<Persona> = card ?? (path === undefined ? {} : readPersona(path))
  const own = isCard ? path : undefined
  const sprites = (own ?? texts.sprites) === undefined ? undefined : (await loadSprites()).createSprites(own, texts.sprites)
  const format = texts.format === undefined ? undefined : readFormat(texts.format)
  const system = texts.finalSystem === undefined ? undefined : readPlainText(texts.finalSystem, "system message")
  return {
    input: {
      agent: { ...file.agent, name: file.agent?.name ?? persona.name, colour: file.agent?.colour ?? persona.colour },
      user: { ...file.user, name: surroundings.userName ?? persona.userName },
      persona: persona.text,
      greeting: card?.greeting || undefined,
      greetings: card?.greetings,
      format: format?.text,
      final: { system },
    },
    /** The plugin of a persona that is a card, or that has pictures. */
    plugins: sprites === undefined ? [] : [{ ...(card?.plugin ?? { name: "sprites" }), sprites }],
    /** The parser of its format. */
    parser(plugins: readonly Plugin[]): OutputFormat | undefined {
      const parser = format?.parser(plugins)
      return parser && card ? card.withAssets(parser) : parser
    },
  }
}

/** Reads a format's text for the model. Its front matter may name its `parser` and the `emotions` it asks for (L4). */
function readFormat(path: string) {
  const { text, attributes, faultAt } = readWholeText(path, { kind: "format", attributes: ["parser"], lists: ["emotions"] })
  const { parser: name, emotions } = attributes
  return {
    text,
    /** The parser that the file names, with its options. It is looked up when plugins are loaded. Throws a located error for an unknown one. */
    parser(plugins: readonly Plugin[]): OutputFormat | undefined {
      if (name === undefined) return undefined
      const own = plugins.flatMap((plugin) => plugin.formats ?? [])
      const format = formatNamed(name, own)
      if (format !== undefined) return emotions === undefined ? format : configureFormat(format, { emotions })
      const known = [...own, ...formats].map((known) => known.name)
      throw faultAt(
        "parser",
        `expected a format with a parser (${known.join(", ")}), found ${JSON.stringify(name)}.${didYouMean(name, known)}`,
      )
    },
  }
}
