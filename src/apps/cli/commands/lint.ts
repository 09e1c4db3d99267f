import { type Command, Option } from "commander"
import { PromptStrataError } from "../../../core/errors.ts"
import { codeFrame } from "../../../core/evidence/located-error.ts"
import { didYouMean } from "../../../core/suggest.ts"
import { lint, lintRules } from "../../../lint/lint.ts"
import { applyFixes, type LintContext, type LintProblem, type LintRule } from "../../../lint/rule.ts"
import { readLintFiles } from "../../../node/lint/read-lint-files.ts"
import { updateFile } from "../../../node/workspace/update-file.ts"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { columnsOf, exitCodes, fitLines, jsonLine, type Paint, painterFor } from "../io.ts"
import { collectValues } from "../options.ts"
import type { Translate } from "../words/translate.ts"

/**
 * Writes the fixes of problems into their files and resolves to how many files changed. Each file is written whole or not at
 * all. The library's own files, and files that changed since they were read, stay as they are.
 */
export async function writeFixes({ files }: LintContext, problems: readonly LintProblem[]): Promise<number> {
  const byFile = Map.groupBy(problems, ({ file }) => file)
  let changed = 0
  for (const { file, path, text, shipped } of files) {
    if (shipped) continue
    const fixed = applyFixes(text, byFile.get(file) ?? [])
    if (fixed === text) continue
    // A link stays a link: the file it leads to is written, and keeps its mode.
    await updateFile(path, (current) => {
      if (current !== text) return undefined
      changed++
      return fixed
    })
  }
  return changed
}

interface LintOptions {
  /** Names or paths; empty: every profile in `./profiles`, else the shipped ones. */
  readonly profiles: readonly string[]
  /** An additional prompts folder. */
  readonly prompts?: string
  readonly locale?: string
  readonly format: "text" | "json"
  readonly fix?: boolean
  /** Only these rules. */
  readonly rule?: readonly string[]
  /** Files with recorded turns, for the rules about running times and results. */
  readonly trace?: readonly string[]
  /** Warnings fail too. */
  readonly strict?: boolean
  readonly listRules?: boolean
  readonly debug?: boolean
}

/** Adds the command `lint`. */
export function add(program: Command, run: RunCommand): void {
  program
    .command("lint")
    .description("Find mistakes in profiles and in the prompt files beside them. No model is asked.")
    .argument("[profile...]", "names or paths of profiles (default: all in ./profiles, else those of promptstrata)")
    .option("--prompts <folder>", "also check this folder of prompts")
    .option("--locale <locale>", "check only this language (default: the profile's, else all)")
    .addOption(new Option("--format <format>", "how to print problems").choices(["text", "json"]).default("text"))
    .option("--fix", "fix what can be fixed without changing the meaning of a file")
    .option("--rule <name>", "run only this rule; repeatable", collectValues)
    .option("--trace <file>", "also check recorded turns, the output of `chat --json --show trace`; repeatable", collectValues)
    .option("--strict", "fail on warnings too")
    .option("--list-rules", "print the rules and end")
    .option("--debug", "print the stack of an error")
    .action((profiles: readonly string[], given: Omit<LintOptions, "profiles">) =>
      run((context) => lintCommand({ ...given, profiles }, context), { debug: given.debug, json: given.format === "json" }),
    )
}

/** Finds mistakes in profiles and prompts (T37). Resolves to the exit code: 1 for an error, and with `--strict` for a warning. */
async function lintCommand(options: LintOptions, { io, screen, translate }: CliContext): Promise<number> {
  const paint = painterFor(io.stdout, io.env)
  if (options.listRules) {
    io.stdout.write(`${fitLines(printRules(lintRules, paint, translate), io.stdout)}\n`)
    return exitCodes.ok
  }
  const rules = options.rule?.map(ruleNamed) ?? lintRules
  const { profiles, prompts: promptFolder, locale, trace: traces = [] } = options
  const read = () => readLintFiles({ profiles, promptFolder, locale, traces })
  let context = await read()
  let problems = lint(context, rules)
  const found = problems.length
  if (options.fix && (await writeFixes(context, problems)) > 0) {
    context = await read()
    problems = lint(context, rules)
  }
  const outcome = { context, problems, fixed: Math.max(0, found - problems.length) }
  const isUnnamed = profiles.length === 0 && promptFolder === undefined
  if (isUnnamed && context.files.every(({ shipped }) => shipped)) screen.note(translate(onlyShipped))
  io.stdout.write(
    `${options.format === "json" ? jsonLine(lintJson(outcome)) : fitLines(printLint(outcome, { paint, say: translate, columns: columnsOf(io.stdout) }), io.stdout)}\n`,
  )
  const { errors, warnings } = countBySeverity(problems)
  return errors > 0 || (options.strict && warnings > 0) ? exitCodes.failed : exitCodes.ok
}

/** Without this note a user could take the result for that of their own files. */
const onlyShipped =
  "There are no profiles in ./profiles. Checked the profiles of promptstrata instead. To check your own: promptstrata lint ./mei.toml"

function ruleNamed(name: string): LintRule {
  const found = lintRules.find((rule) => rule.name === name)
  if (found) return found
  const known = lintRules.map((rule) => rule.name)
  throw new PromptStrataError("usage", `expected a rule, found ${JSON.stringify(name)}.${didYouMean(name, known)}`, {
    hint: `Rules: ${known.join(", ")}.`,
  })
}

/** How problems are printed for people. */
type PrintStyle = { readonly paint: Paint; readonly say: Translate; readonly columns: number | undefined }

interface LintOutcome {
  readonly context: LintContext
  /** The problems that are left after fixes. */
  readonly problems: readonly LintProblem[]
  /** The number of problems that `--fix` removed. */
  readonly fixed: number
}

/** At most this many problems are printed as text. */
const maxShown = 200

/** Problems for people: place, rule, message, the lines around it, advice; at the end their number. */
function printLint({ context, problems, fixed }: LintOutcome, style: PrintStyle): string {
  const texts = new Map(context.files.map(({ file, text }) => [file, text]))
  const blocks = problems.slice(0, maxShown).map((problem) => printProblem(problem, texts.get(problem.file), style))
  if (problems.length > maxShown)
    blocks.push(style.say(`… and ${problems.length - maxShown} more. --format json prints all of them.`))
  return [...blocks, summary({ context, problems, fixed }, style)].join("\n\n")
}

/** Problems for programs: plain JSON with the fields of {@link LintProblem}. */
function lintJson({ context, problems, fixed }: LintOutcome): object {
  return { version: 1, files: context.files.length, ...countBySeverity(problems), fixed, problems }
}

function printRules(rules: readonly LintRule[], paint: Paint, say: Translate): string {
  const width = Math.max(...rules.map(({ name }) => name.length))
  return rules.map(({ name, description }) => `${paint("bold", name.padEnd(width))}  ${say(description)}`).join("\n")
}

/** All text of the file is made safe for the terminal; `codeFrame` does so for the lines that it shows. */
function printProblem(problem: LintProblem, text: string | undefined, { paint, say, columns = 80 }: PrintStyle): string {
  const { file, line, column, severity, rule, message, hint, fix } = problem
  const place = paint("bold", terminalText(`${file}:${line}:${column}`))
  const label = paint(severity === "error" ? "red" : "yellow", say(severity))
  const frame = text ? [codeFrame(text.replace(/^\uFEFF/, ""), problem, { widthColumns: Math.min(columns, 80) - 8 })] : []
  const advice = [...(hint === undefined ? [] : [hint]), ...(fix === undefined ? [] : ["Use --fix to fix it."])]
  return [
    `${place} ${label} ${terminalText(say(message))} ${paint("dim", rule)}`,
    ...frame,
    ...advice.map((row) => paint("dim", terminalText(say(row)))),
  ].join("\n")
}

function summary({ context, problems, fixed }: LintOutcome, { paint, say }: PrintStyle): string {
  const { errors, warnings } = countBySeverity(problems)
  const suffix = fixed === 0 ? "" : say(` · ${fixed} fixed`)
  const counts = [errors === 1 ? "1 error" : `${errors} errors`, warnings === 1 ? "1 warning" : `${warnings} warnings`]
  const told = counts.map(say).join(say(", "))
  const found = say(context.files.length === 1 ? `${told} in 1 file` : `${told} in ${context.files.length} files`) + suffix
  return paint(errors > 0 ? "red" : warnings > 0 ? "yellow" : "bold", found)
}

function countBySeverity(problems: readonly LintProblem[]): { readonly errors: number; readonly warnings: number } {
  const errors = problems.filter(({ severity }) => severity === "error").length
  return { errors, warnings: problems.length - errors }
}
