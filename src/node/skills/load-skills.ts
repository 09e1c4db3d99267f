import { invariant, PromptStrataError } from "../../core/errors.ts"
import { formatSource } from "../../core/source.ts"
import type { Skill } from "../../layers/skills.ts"
import { collectSkills, type LoadSkillsOptions, type SkillsFound } from "./read-skills.ts"
import type { SkillProblem } from "./skill-problem.ts"

/** How many problems are printed; the rest are counted. */
const maxShown = 20

/**
 * Loads skills by name (`diary`), file or folder, also folders published in the open Agent Skills form (L5). Where one cannot be
 * loaded, none is: one error `skill` says what is wrong with each, where, and which could be. `readSkills` gives what it can.
 */
export async function loadSkills(
  references: string | readonly string[],
  options: LoadSkillsOptions = {},
): Promise<readonly Skill[]> {
  return requireSkills(collectSkills(typeof references === "string" ? [references] : references, options))
}

/** The skills, unless one of the problems is an error: then all errors are thrown as one. */
function requireSkills({ skills, problems }: SkillsFound): readonly Skill[] {
  const errors = problems.filter(({ severity }) => severity === "error")
  if (errors.length > 0) throw skillsError(errors, skills)
  return skills
}

function skillsError(errors: readonly SkillProblem[], loaded: readonly Skill[]): PromptStrataError {
  const [first, ...others] = errors
  invariant(first, "an error about skills has a problem")
  const rest = others.slice(0, maxShown - 1).map(printProblem)
  if (errors.length > maxShown) rest.push(`… and ${errors.length - maxShown} more.`)
  rest.push(`Skills that could be loaded: ${namesOf(loaded)}.`)
  const frame = [first.frame, first.hint, ...rest].filter((part) => part !== undefined).join("\n")
  return new PromptStrataError("skill", first.message, {
    ...(first.source ? { source: first.source } : {}),
    frame,
    evidence: { count: errors.length, problems: errors.slice(0, maxShown), loaded: loaded.map(({ name }) => name) },
  })
}

/** A problem as people read it: place, sentence, the lines around it, what to do. */
export function printProblem({ source, message, frame, hint }: SkillProblem): string {
  const where = source ? `${formatSource(source)}: ` : ""
  return [`${where}${message}`, frame, hint].filter((part) => part !== undefined).join("\n")
}

function namesOf(skills: readonly Skill[]): string {
  const names = skills.slice(0, maxShown).map(({ name }) => name)
  if (names.length === 0) return "none"
  return skills.length > names.length ? `${names.join(", ")} and ${skills.length - names.length} more` : names.join(", ")
}
