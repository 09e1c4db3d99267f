import { realpathSync } from "node:fs"
import { basename } from "node:path"
import type { LintFault, LintFileKind } from "../../lint/context.ts"
import { displayPath } from "../shipped-files.ts"
import { readSkill } from "../skills/read-skill.ts"
import type { SkillProblem } from "../skills/skill-problem.ts"
import { errorFaults } from "./error-faults.ts"

/** What reading a skill says of it: what keeps it from loading, and what the open Agent Skills standard forbids. */
export function skillFaults(kind: LintFileKind, path: string): LintFault[] {
  if (kind !== "skill") return []
  const file = displayPath(path)
  try {
    const found = { path: realpathSync(path), open: basename(path).toLowerCase() === "skill.md" }
    return readSkill(found, { modes: {}, trust: "author" })
      .problems.filter(isOurs)
      .map((problem) => faultOf(problem, file))
  } catch (error) {
    return errorFaults(error, file).map((fault) => (fault.rule === "profile" ? { ...fault, rule: "skill" } : fault))
  }
}

/** Hidden characters have a rule of their own, which says where they are. */
function isOurs({ rule }: SkillProblem): boolean {
  return rule !== "hidden-characters"
}

function faultOf({ severity, message, hint, source }: SkillProblem, file: string): LintFault {
  return {
    rule: "skill",
    severity,
    message,
    file: source?.file ?? file,
    position: { line: source?.line ?? 1, column: source?.column ?? 1 },
    ...(hint === undefined ? {} : { hint }),
  }
}
