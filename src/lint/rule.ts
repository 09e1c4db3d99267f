import type { Position, Source } from "../core/source.ts"
import type { LintContext, LintFile, LintFileKind, LintProfile } from "./context.ts"
import type { LintProblem } from "./problem.ts"

/** One thing that `lint` looks for. A rule is pure: it gets the files as data and reads nothing. */
export interface LintRule {
  readonly name: string
  /** One sentence, for the list of rules. */
  readonly description: string
  check(context: LintContext): LintProblem[]
}

/** Makes a rule of a function that finds problems, and adds the rule's name to each of them. */
export function lintRule(name: string, description: string, find: (context: LintContext) => Iterable<LintFinding>): LintRule {
  return { name, description, check: (context) => Array.from(find(context), (finding) => ({ rule: name, ...finding })) }
}

/** A rule that looks at each file of one kind by itself. */
export function fileRule(
  kind: LintFileKind,
  name: string,
  description: string,
  find: (file: LintFile) => LintFinding[],
): LintRule {
  return lintRule(name, description, ({ files }) => files.filter((file) => file.kind === kind).flatMap(find))
}

/** A rule that looks at each profile that is linted by itself. */
export function profileRule(
  name: string,
  description: string,
  find: (profile: LintProfile, context: LintContext) => LintFinding[],
): LintRule {
  return lintRule(name, description, (context) =>
    context.profiles.filter(({ linted }) => linted).flatMap((profile) => find(profile, context)),
  )
}

/** A problem before the name of its rule is added. */
export type LintFinding = Omit<LintProblem, "rule">

/** The position of a part of a template. */
export function placeOf({ line, column = 1 }: Source): Position {
  return { line, column }
}

/** A finding about a file. Without details it is a warning at the file's beginning. */
export function finding(file: string, message: string, details: Partial<LintFinding> = {}): LintFinding {
  return { severity: "warning", message, file, line: 1, column: 1, ...details }
}
