import { resolve } from "node:path"
import { checkOptions, checkType } from "../../core/check-options.ts"
import { invariant, PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { Trust } from "../../core/value.ts"
import type { Skill, SkillMode } from "../../prompt/layers/skills.ts"
import { pathKey } from "../workspace/paths.ts"
import { findSkills } from "./find-skills.ts"
import { type ReadSkill, readSkill } from "./read-skill.ts"
import { printProblem, problemOf, type SkillProblem } from "./skill-problem.ts"

/** The places in which skills are looked up, and how they are read. */
export interface LoadSkillsOptions {
  /** Default `en`. */
  readonly locale?: string
  /** The folder that paths are relative to. Default: the process's. */
  readonly folder?: string
  /** Folders laid out as the shipped `prompts/`, searched before the shipped one. Default: `prompts` in the process's folder. */
  readonly promptFolders?: readonly string[]
  /** Modes by skill name, in place of those that the skills declare (L5). */
  readonly modes?: Readonly<Record<string, SkillMode>>
  /** The trust of the skills' text. Default `author`; text of any other trust is encoded. */
  readonly trust?: Trust
}

/** The skills that could be read, in the order of the references, and every problem found. */
export type SkillsFound = { readonly skills: readonly Skill[]; readonly problems: readonly SkillProblem[] }

/**
 * Loads skills by name (`diary`), file or folder, also folders published in the open Agent Skills form (L5). If one of them cannot
 * be loaded, none is: one error `skill` says what is wrong with each, where, and which could be loaded.
 */
export async function loadSkills(
  references: string | readonly string[],
  options: LoadSkillsOptions = {},
): Promise<readonly Skill[]> {
  checkOptions("loadSkills", options, "locale folder promptFolders modes trust")
  for (const reference of [references].flat()) checkType("a reference of loadSkills", reference, "string")
  const { skills, problems } = readSkills(references, options)
  const errors = problems.filter(({ severity }) => severity === "error")
  if (errors.length > 0) throw skillsError(errors, skills)
  return skills
}

/**
 * Reads every skill that the references mean; each is a name, a file or a folder (L5). Problems are data: an `error` for a skill
 * that was not loaded, a `warning` for one that was. A bad file throws nothing, and nothing in it is run (L12).
 */
export function readSkills(references: string | readonly string[], options: LoadSkillsOptions = {}): SkillsFound {
  const { locale = "en", folder = process.cwd(), promptFolders = [resolve("prompts")], modes = {}, trust = "author" } = options
  const byName = new Map<string, Skill>()
  const problems: SkillProblem[] = []
  const seen = new Set<string>()
  for (const reference of [references].flat()) {
    const { found, problems: inFinding } = findSkills(reference, { locale, folder, promptFolders })
    const report = (list: readonly SkillProblem[]) => problems.push(...list.map((problem) => ({ ...problem, reference })))
    report(inFinding)
    for (const one of found) {
      if (seen.has(one.path)) continue
      seen.add(one.path)
      try {
        report(take(readSkill(one, { modes, trust }), byName))
      } catch (error) {
        report([problemOf(error)])
      }
    }
  }
  const names = [...byName.keys()]
  for (const name of Object.keys(modes).filter((mode) => !byName.has(mode))) {
    const message = `expected the name of a skill that is loaded, found ${JSON.stringify(name)}.${didYouMean(name, names)}`
    problems.push({ severity: "error", rule: "mode", message })
  }
  return { skills: withDistinctPaths([...byName.values()]), problems }
}

/** Adds a skill, and returns its problems. Of two skills with one name the first stays; a copy with the same text is only a warning. */
function take({ skill, problems }: ReadSkill, byName: Map<string, Skill>): readonly SkillProblem[] {
  const other = byName.get(skill.name)
  if (other === undefined) {
    byName.set(skill.name, skill)
    return problems
  }
  const isCopy = other.content.text === skill.content.text && other.description === skill.description
  const message = `expected one skill of each name, found ${JSON.stringify(skill.name)} in ${other.source.file} too.`
  const hint = isCopy ? "Both say the same, so the first is taken." : "Rename one of them, or name only one."
  return [{ severity: isCopy ? "warning" : "error", rule: "collision", message, hint, source: skill.source }]
}

/**
 * Gives every skill a path of its own. The path of a skill elsewhere on the disk is only its folder's name, which others may have
 * too, so that a model would read the wrong file. The first skill keeps its path; a later one becomes `skills/pdf-2/SKILL.md`.
 * Paths in `taken` are not used again; those of these skills are added to it.
 */
export function withDistinctPaths(skills: readonly Skill[], taken: Set<string> = new Set()): Skill[] {
  const keyOf = (path: string) => pathKey(path.split("/"))
  return skills.map((skill) => {
    if (skill.path === undefined || skill.file === undefined) return skill
    let path = skill.path
    for (let count = 2; taken.has(keyOf(path)); count++) path = numberedPath(skill.path, count)
    taken.add(keyOf(path))
    return path === skill.path ? skill : { ...skill, path }
  })
}

/** For a folder's skill the folder gets the number, as its resources are in it too; else the file does. */
function numberedPath(path: string, count: number): string {
  const isFolder = /\/skill\.md$/i.test(path)
  const end = isFolder ? path.lastIndexOf("/") : path.lastIndexOf(".")
  return `${path.slice(0, end)}-${count}${path.slice(end)}`
}

/** An error prints this many problems, and the number of the others. */
const maxShown = 20

function skillsError(errors: readonly SkillProblem[], loaded: readonly Skill[]): PromptStrataError {
  const [first, ...others] = errors
  invariant(first, "an error about skills has a problem")
  const rest = others.slice(0, maxShown - 1).map(printProblem)
  if (errors.length > maxShown) rest.push(`… and ${errors.length - maxShown} more.`)
  rest.push(`Skills that could be loaded: ${namesOf(loaded)}.`)
  const frame = [first.frame, first.hint, ...rest].filter((part) => part !== undefined).join("\n")
  return new PromptStrataError("skill", first.message, {
    source: first.source,
    frame,
    evidence: { count: errors.length, problems: errors.slice(0, maxShown), loaded: loaded.map(({ name }) => name) },
  })
}

function namesOf(skills: readonly Skill[]): string {
  const names = skills.slice(0, maxShown).map(({ name }) => name)
  if (names.length === 0) return "none"
  return skills.length > names.length ? `${names.join(", ")} and ${skills.length - names.length} more` : names.join(", ")
}
