import { existsSync, realpathSync, statSync } from "node:fs"
import { basename, extname } from "node:path"
import { messageOf } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { lookedFor } from "../find-text.ts"
import { displaySearched } from "../shipped-files.ts"
import type { FoundSkills, SkillPlaces } from "./found-skills.ts"
import { knownSkills, skillCandidates } from "./skill-places.ts"
import type { SkillProblem } from "./skill-problem.ts"
import { findInFolder, skillFileIn } from "./skill-walk.ts"

/**
 * Finds the skills that a reference means: a name, looked up in the prompts folders; a Markdown file; a folder with a `SKILL.md`;
 * or a folder of any of these, however deep the `SKILL.md` lie.
 */
export function findSkills(reference: string, places: SkillPlaces): FoundSkills {
  const candidates = skillCandidates(reference, places)
  const path = candidates.find((candidate) => existsSync(candidate))
  if (path === undefined) return { found: [], problems: [missing(reference, candidates, places)] }
  try {
    return findAt(realpathSync(path), reference)
  } catch (error) {
    return { found: [], problems: [unreadable(reference, error)] }
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
  return { found, problems: [fileProblem(`expected skills in ${JSON.stringify(reference)}, found none.`, skillForms)] }
}

const skillForms = "A skill is a folder with a SKILL.md, or a Markdown file whose front matter has a name."

function missing(reference: string, candidates: readonly string[], places: SkillPlaces): SkillProblem {
  const known = knownSkills(places)
  const message = `expected a skill, found none called ${JSON.stringify(reference)}.${didYouMean(reference, known)}`
  const hint = `${lookedFor(candidates.map(displaySearched))}\nKnown skills: ${known.join(", ") || "none"}.`
  return { severity: "error", rule: "missing", message, hint }
}

function unreadable(reference: string, error: unknown): SkillProblem {
  return fileProblem(`${JSON.stringify(reference)} cannot be read: ${messageOf(error)}`)
}

function fileProblem(message: string, hint?: string): SkillProblem {
  return { severity: "error", rule: "file", message, ...(hint === undefined ? {} : { hint }) }
}
