import { type Dirent, existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { LintFile } from "../../lint/rule.ts"
import { isLocale } from "../../prompt/dialect/locales.ts"
import { promptName } from "../../prompt/dialect/prompt-source.ts"
import { partsFile } from "../cards/card-parts.ts"
import { characterParts } from "../character/character-places.ts"

/** A file of a prompts folder, with what its place says about it. */
export type PromptPlace = Pick<LintFile, "kind" | "folder" | "locale" | "name"> & {
  /** Relative to the prompts folder, parts joined by `/`. */
  readonly path: string
}

const textKinds: Readonly<Record<string, LintFile["kind"]>> = {
  characters: "persona",
  formats: "format",
  final: "final",
  tools: "tool",
}

/** Finds the authored files of a prompts folder, sorted by path. Hidden files, linked folders and the files beside a `SKILL.md` are left out. */
export function findPromptFiles(root: string): PromptPlace[] {
  return pathsIn(root, "")
    .sort()
    .map((path) => ({ path, ...placeOf(path) }))
}

function placeOf(path: string): Omit<PromptPlace, "path"> {
  const parts = path.split("/")
  const [folder = "", second = ""] = parts
  const name = promptName(path)
  if (parts.length > 1 && folder === "skills")
    return { kind: "skill", folder, name: name === "SKILL" ? (parts.at(-2) ?? name) : name }
  const depth = folder === "characters" ? characterPartDepth(parts) : -1
  if (depth >= 0) return { kind: "character", folder, name, locale: depth === 3 && isLocale(second) ? second : undefined }
  const kind = Object.hasOwn(textKinds, folder) ? textKinds[folder] : undefined
  const locale = parts.length === 3 && isLocale(second) ? second : undefined
  if (kind !== undefined && (locale !== undefined || parts.length === 2)) return { kind, folder, name, locale }
  if (locale !== undefined && path.endsWith(".md")) return { kind: "prompt", folder, locale, name }
  return { kind: "other", folder, name }
}

/** The depth at which a path names a part of a character, 3 in `characters/LOCALE/NAME/state.md`; -1 if it names none. */
function characterPartDepth(parts: readonly string[]): number {
  return parts.findIndex((part, depth) => {
    const isFile = depth === parts.length - 1
    return depth > 1 && (isFile ? (characterParts as readonly string[]).includes(promptName(part)) : part === "world_book")
  })
}

function pathsIn(root: string, below: string): string[] {
  const folder = join(root, below)
  // Other files in a skill's folder belong to the skill.
  if (below.startsWith("skills/") && existsSync(join(folder, "SKILL.md"))) return [`${below}/SKILL.md`]
  // The texts of a card are checked with the profile that has it, and stay as their author wrote them.
  if (existsSync(join(folder, partsFile))) return []
  return entriesOf(folder).flatMap((entry) => {
    if (entry.name.startsWith(".")) return []
    const path = below === "" ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) return pathsIn(root, path)
    return /\.(?:md|txt)$/.test(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // A folder that cannot be read is reported by the code that needs it.
    return []
  }
}
