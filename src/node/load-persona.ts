import { resolve } from "node:path"
import { checkOptions, checkType } from "../core/check-options.ts"
import { PromptStrataError } from "../core/errors.ts"
import { hostPorts } from "../core/ports.ts"
import type { TrustedText } from "../core/value.ts"
import { readWholeText } from "./authored-text.ts"
import { isCardPath, loadCards } from "./cards/card-path.ts"
import { findText, notFound } from "./find-text.ts"

/** The character that an agent plays (L3). */
export interface Persona {
  /** The file without front matter and without blank lines at its ends; author text, with its place. */
  readonly text: TrustedText
  /** The agent's display name, from `name` in the front matter. */
  readonly name?: string | undefined
  /** The name by which the agent calls the user, from `user` in the front matter. */
  readonly userName?: string | undefined
  /** The agent's colour, such as `#1D75B3`, from `colour` in the front matter. */
  readonly colour?: string | undefined
}

/** The places in which `loadPersona` looks. */
export interface LoadPersonaOptions {
  /** Default `en`. */
  readonly locale?: string
  /** Folders laid out as the shipped `prompts/`, searched before the shipped one. Default: `prompts` in the process's folder. */
  readonly promptFolders?: readonly string[]
}

/**
 * Loads a persona by name, from `prompts/characters/LOCALE/NAME.md` or `prompts/characters/NAME.md`, or by path. `.txt` works
 * like `.md`, and so does a character card. Throws `prompt-missing`, with the places that were looked up, if there is none; throws `file` if it is too large or
 * not UTF-8, and `front-matter` if it has other front matter than `name`, `user` and `colour`.
 */
export async function loadPersona(nameOrPath: string, options: LoadPersonaOptions = {}): Promise<Persona> {
  checkType("the nameOrPath of loadPersona", nameOrPath, "string")
  checkOptions("loadPersona", options, "locale promptFolders")
  const { locale = "en", promptFolders } = options
  const folder = process.cwd()
  const found = findText(nameOrPath, { kind: "characters", locale, folder, promptFolders: promptFolders ?? [resolve("prompts")] })
  if ("path" in found) return isCardPath(found.path) ? personaOfCard(found.path, locale) : readPersona(found.path)
  const { message, hint } = notFound("a persona", nameOrPath, { ...found, names: "personas" })
  throw new PromptStrataError("prompt-missing", message, { hint, evidence: found })
}

/** The texts of a card that a persona has: its first message and its lorebook need a profile. */
async function personaOfCard(path: string, locale: string): Promise<Persona> {
  const { readCardPersona } = await loadCards()
  const { text, name } = readCardPersona(path, { locale, clock: hostPorts.clock })
  return { text, name }
}

/** Reads the persona in one file. */
export function readPersona(path: string): Persona {
  const { text, attributes } = readWholeText(path, { kind: "persona", attributes: ["name", "user", "colour"] })
  return { text, name: attributes.name, userName: attributes.user, colour: attributes.colour }
}
