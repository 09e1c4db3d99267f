import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { basename, extname, join, resolve } from "node:path"
import { messageOf } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { lookedFor } from "../find-text.ts"
import { displaySearched, shippedPromptsFolder } from "../shipped-files.ts"
import { type FoundSkills, findInFolder, skillFileIn } from "./skill-folders.ts"
import type { SkillProblem } from "./skill-problem.ts"

/** The places in which references are looked up. */
export interface SkillPlaces {
  readonly locale: string
  /** The folder that paths are relative to. */
  readonly folder: string
  /** Folders laid out as the shipped `prompts/`, looked up before it. */
  readonly promptFolders: readonly string[]
}

/**
 * Finds the skills that a reference means: a name, looked up in the prompts folders; a Markdown file; a folder with a `SKILL.md`;
 * or a folder that holds any of these, at any depth for a `SKILL.md`.
 */
export function findSkills(reference: string, places: SkillPlaces): FoundSkills {
  const candidates = skillCandidates(reference, places)
  const path = candidates.find((candidate) => existsSync(candidate))
  if (path === undefined) {
    const known = knownSkills(places)
    const message = `expected a skill, found none called ${JSON.stringify(reference)}.${didYouMean(reference, known)}`
    const hint = `${lookedFor(candidates.map(displaySearched))}\nKnown skills: ${known.join(", ") || "none"}.`
    return { found: [], problems: [{ severity: "error", rule: "missing", message, hint }] }
  }
  try {
    return findAt(realpathSync(path), reference)
  } catch (error) {
    return { found: [], problems: [fileProblem(`${JSON.stringify(reference)} cannot be read: ${messageOf(error)}`)] }
  }
}

function findAt(path: string, reference: string): FoundSkills {
  if (!statSync(path).isDirectory()) {
    const open = basename(path).toLowerCase() === "skill.md"
    if (extname(path) === ".md") return { found: [{ path, open }], problems: [] }
    return { found: [], problems: [fileProblem(`expected a Markdown file or a folder, found ${JSON.stringify(reference)}.`)] }
  }
  const own = skillFileIn(path, path)
  if (own !== undefined) return { found: [{ path: own, open: true }], problems: [] }
  const { found, problems } = findInFolder(path)
  if (found.length > 0 || problems.length > 0) return { found, problems }
  const hint = "A skill is a folder with a SKILL.md, or a Markdown file whose front matter has a name."
  return { found, problems: [fileProblem(`expected skills in ${JSON.stringify(reference)}, found none.`, hint)] }
}

function fileProblem(message: string, hint?: string): SkillProblem {
  return { severity: "error", rule: "file", message, hint }
}

/** Locales that are tried if the locale asked for has no such skill. */
const fallbackLocales = ["en", "zh-CN"]

/**
 * Every path that a reference can mean; the first that exists wins. A reference with a slash, or with `.md` at its end, is a path.
 * Any other is a name: `skills/LOCALE/NAME.md` or `skills/LOCALE/NAME/`, then `skills/NAME…` in each prompts folder, then in `en`
 * and `zh-CN`; last, a path of that one word.
 */
export function skillCandidates(reference: string, places: SkillPlaces): string[] {
  const path = resolve(places.folder, reference)
  if (/[\\/]|\.md$/.test(reference) || reference === "." || reference === "..") {
    return unique([path, ...promptFoldersOf(places).map((folder) => resolve(folder, reference))])
  }
  const named = skillFolders(places).flatMap((folder) => [join(folder, `${reference}.md`), join(folder, reference, "SKILL.md")])
  return unique([...named, path])
}

/** The names of all skills in those places, sorted. */
function knownSkills(places: SkillPlaces): string[] {
  const names = skillFolders(places).flatMap((folder) =>
    entriesIn(folder).flatMap(({ name, isFolder }) => {
      if (isFolder) return entriesIn(join(folder, name)).some((entry) => entry.name === "SKILL.md") ? [name] : []
      return name.endsWith(".md") ? [basename(name, ".md")] : []
    }),
  )
  return unique(names).sort()
}

function skillFolders(places: SkillPlaces): string[] {
  const roots = promptFoldersOf(places).map((folder) => join(folder, "skills"))
  const own = roots.flatMap((folder) => [join(folder, places.locale), folder])
  return unique([...own, ...fallbackLocales.flatMap((locale) => roots.map((folder) => join(folder, locale)))])
}

function promptFoldersOf({ promptFolders }: SkillPlaces): string[] {
  return unique([...promptFolders, shippedPromptsFolder])
}

function entriesIn(folder: string): { readonly name: string; readonly isFolder: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
  } catch {
    // A folder that is missing or cannot be read has no names to suggest.
    return []
  }
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)]
}
