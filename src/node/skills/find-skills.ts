import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, extname, join, resolve } from "node:path"
import { messageOf } from "../../core/errors.ts"
import { entryNames, fileNames, notFound, type TextPlaces, textFolders, textPathsOf } from "../find-text.ts"
import { displaySearched } from "../shipped-files.ts"
import { type FoundSkills, findInFolder, skillFileIn } from "./skill-folders.ts"
import type { SkillProblem } from "./skill-problem.ts"

/** The places in which references are looked up. */
export type SkillPlaces = Omit<TextPlaces, "kind">

/**
 * Finds the skills that a reference means: a name, looked up in the prompts folders; a Markdown file; a folder with a `SKILL.md`;
 * or a folder that holds any of these, at any depth for a `SKILL.md`.
 */
export function findSkills(reference: string, places: SkillPlaces): FoundSkills {
  const candidates = skillCandidates(reference, places)
  const path = candidates.find((candidate) => existsSync(candidate))
  if (path === undefined) {
    const searched = candidates.map(displaySearched)
    const told = notFound("a skill", reference, { searched, known: knownSkills(places), names: "skills" })
    return { found: [], problems: [{ severity: "error", rule: "missing", ...told }] }
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

/**
 * Every path that a reference can mean; the first that exists wins. A reference with a slash, or with `.md` at its end, is a path.
 * Any other is a name: `skills/LOCALE/NAME.md` or `skills/LOCALE/NAME/`, then `skills/NAME…` in each prompts folder, then in `en`
 * and `zh-CN`; last, a path of that one word.
 */
export function skillCandidates(reference: string, places: SkillPlaces): string[] {
  if (/[\\/]|\.md$/.test(reference) || reference === "." || reference === "..") return textPathsOf(reference, places)
  const named = skillFolders(places).flatMap((folder) => [join(folder, `${reference}.md`), join(folder, reference, "SKILL.md")])
  return [...new Set([...named, resolve(places.folder, reference)])]
}

function knownSkills(places: SkillPlaces): string[] {
  return entryNames(skillFolders(places), (name, folder) => {
    if (fileNames(join(folder, name)).includes("SKILL.md")) return name
    return name.endsWith(".md") ? basename(name, ".md") : undefined
  })
}

function skillFolders(places: SkillPlaces): string[] {
  return textFolders({ kind: "skills", ...places })
}
