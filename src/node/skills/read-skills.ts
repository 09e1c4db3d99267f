import { resolve } from "node:path"
import { didYouMean } from "../../core/suggest.ts"
import type { Trust } from "../../core/trust.ts"
import type { Skill, SkillMode } from "../../layers/skills.ts"
import { withDistinctPaths } from "./distinct-paths.ts"
import { findSkills } from "./find-skills.ts"
import { type ReadSkill, readSkill } from "./read-skill.ts"
import { problemOf, type SkillProblem } from "./skill-problem.ts"

/** Where skills are looked up and how they are taken. */
export interface LoadSkillsOptions {
  /** Default `en`. */
  readonly locale?: string
  /** What paths are relative to. Default: where the process runs. */
  readonly folder?: string
  /** Folders laid out as the shipped `prompts/`, before it. Default: `prompts` where the process runs. */
  readonly promptFolders?: readonly string[]
  /** Modes by skill name, in place of what the skills declare (L5). */
  readonly modes?: Readonly<Record<string, SkillMode>>
  /** Who wrote the skills. Default `author`; text of any other trust is encoded. */
  readonly trust?: Trust
}

/** The skills that could be read, in the order of the references, and every problem found. */
export interface SkillsFound {
  readonly skills: readonly Skill[]
  readonly problems: readonly SkillProblem[]
}

/**
 * Reads every skill that the references mean, each a name, a file or a folder (L5). Whatever is wrong is data: an `error` for
 * what was not loaded, a `warning` for what was. Nothing is thrown for a bad file, and nothing of it is run (L12).
 */
export async function readSkills(references: string | readonly string[], options: LoadSkillsOptions = {}): Promise<SkillsFound> {
  return collectSkills(typeof references === "string" ? [references] : references, options)
}

/** {@link readSkills}, at once. */
export function collectSkills(references: readonly string[], options: LoadSkillsOptions): SkillsFound {
  const { locale = "en", folder = process.cwd(), promptFolders = [resolve("prompts")], modes = {}, trust = "author" } = options
  const byName = new Map<string, Skill>()
  const problems: SkillProblem[] = []
  const seen = new Set<string>()
  for (const reference of references) {
    const { found, problems: inFinding } = findSkills(reference, { locale, folder, promptFolders })
    const report = (list: readonly SkillProblem[]) => problems.push(...list.map((problem) => ({ ...problem, reference })))
    report(inFinding)
    for (const one of found) {
      if (seen.has(one.path)) continue
      seen.add(one.path)
      try {
        const read = readSkill(one, { modes, trust })
        report(take(read, byName))
      } catch (error) {
        report([problemOf(error)])
      }
    }
  }
  problems.push(...unusedModes(modes, [...byName.keys()]))
  return { skills: withDistinctPaths([...byName.values()]), problems }
}

/** Two skills of one name: the first stays. A copy of the same text does no harm. */
function take({ skill, problems }: ReadSkill, byName: Map<string, Skill>): readonly SkillProblem[] {
  const other = byName.get(skill.name)
  if (other === undefined) {
    byName.set(skill.name, skill)
    return problems
  }
  const isCopy = other.content.text === skill.content.text && other.description === skill.description
  const message = `expected one skill of each name, found ${JSON.stringify(skill.name)} in ${other.source.file} too.`
  const hint = isCopy ? "It says the same, so the first is taken." : "Rename one of them, or name only one."
  return [{ severity: isCopy ? "warning" : "error", rule: "collision", message, hint, source: skill.source }]
}

function unusedModes(modes: Readonly<Record<string, SkillMode>>, names: readonly string[]): SkillProblem[] {
  return Object.keys(modes)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      severity: "error",
      rule: "mode",
      message: `expected the name of a skill that is loaded, found ${JSON.stringify(name)}.${didYouMean(name, names)}`,
    }))
}
