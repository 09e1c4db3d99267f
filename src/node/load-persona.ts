import { resolve } from "node:path"
import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import type { Text } from "../core/value.ts"
import { readWholeText } from "./authored-text.ts"
import { findText, lookedFor } from "./find-text.ts"

/** Who the agent is (L3). */
export interface Persona {
  /** The file without front matter and blank lines at its ends; author text, with its place. */
  readonly text: Text
  /** The agent's display name, from `name` in the front matter. */
  readonly name?: string
  /** How the agent addresses the user, from `user` in the front matter. */
  readonly userName?: string
}

/** Where `loadPersona` looks. */
export interface PersonaOptions {
  /** Default `en`. */
  readonly locale?: string
  /** Folders laid out as the shipped `prompts/`, before it. Default: `prompts` where the process runs. */
  readonly promptFolders?: readonly string[]
}

/**
 * Loads a persona by name, as `prompts/characters/LOCALE/NAME.md` or `prompts/characters/NAME.md`, or by path; `.txt` counts like
 * `.md`. A missing one throws `prompt-missing`, listing where it was looked for; one that is too large, not UTF-8 or has other
 * front matter than `name` and `user` throws too.
 */
export async function loadPersona(nameOrPath: string, { locale = "en", promptFolders }: PersonaOptions = {}): Promise<Persona> {
  const folder = process.cwd()
  const found = findText(nameOrPath, { kind: "characters", locale, folder, promptFolders: promptFolders ?? [resolve("prompts")] })
  if ("path" in found) return readPersona(found.path)
  throw new PromptStrataError(
    "prompt-missing",
    `expected a persona, found none called ${JSON.stringify(nameOrPath)}.${didYouMean(nameOrPath, found.known)}`,
    {
      hint: `${lookedFor(found.searched)}\nKnown personas: ${found.known.join(", ") || "none"}.`,
      evidence: { searched: found.searched, known: found.known },
    },
  )
}

/** Reads one persona's file. */
export function readPersona(path: string): Persona {
  const { text, attributes } = readWholeText(path, { kind: "persona", attributes: ["name", "user"] })
  const { name, user } = attributes
  return { text, ...(name === undefined ? {} : { name }), ...(user === undefined ? {} : { userName: user }) }
}
