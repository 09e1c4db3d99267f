import { type LintContext, type LintFault, type LintProblem, type LintRule, lintRule } from "./rule.ts"
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
function faultRule(name: LintFault["rule"], description: string): LintRule {
  return lintRule(name, description, ({ files, profiles }) =>
    [...files, ...profiles]
      .flatMap(({ faults }) => faults)
      .filter(({ rule }) => rule === name)
      .map(({ severity = "error", message, file, position, hint }) => ({ severity, message, file, ...position, hint })),
  )
}

/** Every rule, in the order in which they run. */
export const lintRules: readonly LintRule[] = [
  faultRule("profile", "A profile that does not load: unknown keys, wrong values, files, tools or plugins that are not there."),
  faultRule(
    "guessed",
    "A profile of your own that leaves its language or the name of its agent to be guessed, or what becomes of an earlier USER.md.",
  ),
  faultRule("duplicate-key", "A key that stands twice in a profile or in front matter."),
  faultRule("front-matter", "Front matter that is no YAML, or has keys and values that its kind of file does not know."),
  faultRule("unreadable-file", "A file that is no UTF-8 text, is too large or is a folder."),
  faultRule("template-syntax", "Every mistake in the ${} language of a file."),
  faultRule("file-load", "A ${file_load(…)} that finds no file, leads outside or runs in a circle."),
  faultRule("rest-slot", "A prompt without ${rest}: injections without a slot of their own would be lost."),
  faultRule("skill", "A skill that does not load, or breaks a limit of the open Agent Skills standard."),
  faultRule("card", "Anything in the files of an imported card that its author may not have meant."),
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
