import type { LintContext } from "./context.ts"
import type { LintFinding, LintProblem } from "./problem.ts"

/** One thing that `lint` looks for. Pure: it sees the files as data and reads nothing. */
export interface LintRule {
  readonly name: string
  /** One sentence, for the list of rules. */
  readonly description: string
  check(context: LintContext): LintProblem[]
}

/** A rule of a function that finds problems; each of them gets the rule's name. */
export function lintRule(name: string, description: string, find: (context: LintContext) => Iterable<LintFinding>): LintRule {
  return { name, description, check: (context) => Array.from(find(context), (finding) => ({ rule: name, ...finding })) }
}
