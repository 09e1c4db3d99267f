import { faultRules, type LintContext, type LintProblem, type LintRule, lintRule } from "./rule.ts"
import { deadFile } from "./rules/dead-file.ts"
import { formatParser, frontMatterKeys } from "./rules/front-matter.ts"
import { invisibleCharacters, whiteSpace } from "./rules/invisible-characters.ts"
import { localeTwins } from "./rules/locale-twins.ts"
import { markerLines } from "./rules/marker-lines.ts"
import { memoryPlugin } from "./rules/memory-plugin.ts"
import { missingFile } from "./rules/missing-file.ts"
import { personaForm, personaTraits } from "./rules/persona-traits.ts"
import { cacheOrder, volatileValue } from "./rules/prompt-cache.ts"
import { missingSlot, unknownSlot, unusedVariable } from "./rules/slots.ts"
import { personaLength, skillSize } from "./rules/text-length.ts"
import { toolText, unknownTool } from "./rules/tools.ts"
import { longResults, slowPrestart, windowRoom } from "./rules/traces.ts"

/** Runs rules over files that were read. Each problem is given once, sorted by file, line and column. Pure (T37). */
export function lint(context: LintContext, rules: readonly LintRule[] = lintRules): LintProblem[] {
  const found = new Map<string, LintProblem>()
  for (const rule of rules) {
    for (const problem of rule.check(context)) {
      const { file, line, column, message } = problem
      // Two profiles can share a file, and two rules can find the same mistake: the first rule that finds it reports it.
      const key = `${file}\n${line}\n${column}\n${message}`
      if (!found.has(key)) found.set(key, problem)
    }
  }
  return [...found.values()].sort(
    (a, b) => compare(a.file, b.file) || a.line - b.line || a.column - b.column || compare(a.rule, b.rule),
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** A rule that reports the mistakes of one kind that were found while files were read. */
function faultRule([name, description]: readonly [name: string, description: string]): LintRule {
  return lintRule(name, description, ({ files, profiles }) =>
    [...files, ...profiles]
      .flatMap(({ faults }) => faults)
      .filter(({ rule }) => rule === name)
      .map(({ severity = "error", message, file, position, hint }) => ({ severity, message, file, ...position, hint })),
  )
}

/** Every rule, in the order in which they run. */
export const lintRules: readonly LintRule[] = [
  ...Object.entries(faultRules).map(faultRule),
  frontMatterKeys,
  formatParser,
  unknownSlot,
  missingSlot,
  missingFile,
  unusedVariable,
  memoryPlugin,
  deadFile,
  cacheOrder,
  volatileValue,
  markerLines,
  invisibleCharacters,
  whiteSpace,
  localeTwins,
  skillSize,
  personaLength,
  personaTraits,
  personaForm,
  toolText,
  unknownTool,
  slowPrestart,
  longResults,
  windowRoom,
]
