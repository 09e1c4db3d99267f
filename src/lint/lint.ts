import type { LintContext } from "./context.ts"
import type { LintProblem } from "./problem.ts"
import type { LintRule } from "./rule.ts"
import { lintRules } from "./rules.ts"

/** Runs rules over files that were read: every problem once, by file, line and column. Pure (T37). */
export function lint(context: LintContext, rules: readonly LintRule[] = lintRules): LintProblem[] {
  const found = new Map<string, LintProblem>()
  for (const rule of rules) {
    for (const problem of rule.check(context)) {
      const { file, line, column, message } = problem
      // Several profiles share a file, several rules a mistake: said once, by the first that finds it.
      const key = `${file}\n${line}\n${column}\n${message}`
      if (!found.has(key)) found.set(key, problem)
    }
  }
  return [...found.values()].sort(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column || compare(a.rule, b.rule),
  )
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
