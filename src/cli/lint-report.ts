import { codeFrame } from "../core/source.ts"
import type { LintContext } from "../lint/context.ts"
import type { LintProblem } from "../lint/problem.ts"
import type { LintRule } from "../lint/rule.ts"
import type { Paint } from "./style.ts"
import { terminalText } from "./terminal-text.ts"

/** What a run of `lint` found. */
export interface LintOutcome {
  readonly context: LintContext
  /** What is left, after fixes. */
  readonly problems: readonly LintProblem[]
  /** How many problems `--fix` took away. */
  readonly fixed: number
}

/** How many problems are printed for people, who read no more; the rest are counted. */
const maxShown = 200

/** Problems for people: place, rule, sentence, the lines around it with a caret, what to do; last, how many there are. */
export function printLint({ context, problems, fixed }: LintOutcome, paint: Paint): string {
  const texts = new Map(context.files.map(({ file, text }) => [file, text]))
  const blocks = problems.slice(0, maxShown).map((problem) => printProblem(problem, texts.get(problem.file), paint))
  if (problems.length > maxShown) blocks.push(`… and ${problems.length - maxShown} more; --format json has them all.`)
  return [...blocks, summary({ context, problems, fixed }, paint)].join("\n\n")
}

/** Problems for programs: plain JSON, the fields of a {@link LintProblem} as they are. */
export function lintJson({ context, problems, fixed }: LintOutcome): object {
  return { version: 1, files: context.files.length, ...countBySeverity(problems), fixed, problems }
}

/** The rules by name, one a line. */
export function printRules(rules: readonly LintRule[], paint: Paint): string {
  const width = Math.max(...rules.map(({ name }) => name.length))
  return rules.map(({ name, description }) => `${paint("bold", name.padEnd(width))}  ${description}`).join("\n")
}

/** Whatever a file holds, nothing of it acts on the terminal; `codeFrame` sees to the lines it shows. */
function printProblem(problem: LintProblem, text: string | undefined, paint: Paint): string {
  const { file, line, column, severity, rule, message, hint, fix } = problem
  const place = paint("bold", terminalText(`${file}:${line}:${column}`))
  const label = paint(severity === "error" ? "red" : "yellow", severity)
  const frame = text === undefined || text === "" ? [] : [codeFrame(text.replace(/^\uFEFF/, ""), problem)]
  const advice = [...(hint === undefined ? [] : [hint]), ...(fix === undefined ? [] : ["--fix mends it."])]
  return [
    `${place} ${label} ${terminalText(message)} ${paint("dim", rule)}`,
    ...frame,
    ...advice.map((row) => paint("dim", terminalText(row))),
  ].join("\n")
}

function summary({ context, problems, fixed }: LintOutcome, paint: Paint): string {
  const { errors, warnings } = countBySeverity(problems)
  const mended = fixed === 0 ? "" : ` · ${fixed} fixed`
  const found = `${count(errors, "error")}, ${count(warnings, "warning")} in ${count(context.files.length, "file")}${mended}`
  return paint(errors > 0 ? "red" : warnings > 0 ? "yellow" : "bold", found)
}

/** How many problems there are of each kind. */
export function countBySeverity(problems: readonly LintProblem[]): { readonly errors: number; readonly warnings: number } {
  const errors = problems.filter(({ severity }) => severity === "error").length
  return { errors, warnings: problems.length - errors }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}
