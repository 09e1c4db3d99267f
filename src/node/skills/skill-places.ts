import { readdirSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { shippedPromptsFolder } from "../shipped-files.ts"
import type { SkillPlaces } from "./found-skills.ts"

/** Locales that stand in for one without a skill of its own. */
const fallbackLocales = ["en", "zh-CN"]

/**
 * Every path a reference can mean, the first that exists wins. With a slash or `.md` at its end it is a path. Else it is a name:
 * `skills/LOCALE/NAME.md` or `skills/LOCALE/NAME/`, then `skills/NAME…` in each prompts folder, then in `en` and `zh-CN`; last, a
 * path of that one word.
 */
export function skillCandidates(reference: string, places: SkillPlaces): string[] {
  const path = resolve(places.folder, reference)
  if (/[\\/]|\.md$/.test(reference) || reference === "." || reference === "..") {
    return unique([path, ...promptFoldersOf(places).map((folder) => resolve(folder, reference))])
  }
  const named = skillFolders(places).flatMap((folder) => [join(folder, `${reference}.md`), join(folder, reference, "SKILL.md")])
  return unique([...named, path])
}

/** The names of all skills in those places, in order. */
export function knownSkills(places: SkillPlaces): string[] {
  const names = skillFolders(places).flatMap((folder) =>
    entriesIn(folder).flatMap(({ name, isFolder }) => {
      if (isFolder) return entriesIn(join(folder, name)).some((entry) => entry.name === "SKILL.md") ? [name] : []
      return name.endsWith(".md") ? [basename(name, ".md")] : []
    }),
  )
  return unique(names).sort()
}

function skillFolders(places: SkillPlaces): string[] {
  const kinds = promptFoldersOf(places).map((folder) => join(folder, "skills"))
  const own = kinds.flatMap((folder) => [join(folder, places.locale), folder])
  return unique([...own, ...fallbackLocales.flatMap((locale) => kinds.map((folder) => join(folder, locale)))])
}

function promptFoldersOf({ promptFolders }: SkillPlaces): string[] {
  return unique([...promptFolders, shippedPromptsFolder])
}

function entriesIn(folder: string): { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
  } catch {
    // A folder that is not there, or not ours to read, has no names to suggest.
    return []
  }
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)]
}
