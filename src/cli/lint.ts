import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import { lint, lintRules } from "../lint/lint.ts"
import type { LintRule } from "../lint/rule.ts"
import { readLintFiles } from "../node/lint/read-lint-files.ts"
import { writeFixes } from "../node/lint/write-fixes.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { jsonLine } from "./json-line.ts"
import { countBySeverity, lintJson, printLint, printRules } from "./lint-report.ts"
import { painterFor } from "./style.ts"

/** What `lint` was asked for. */
export interface LintOptions {
  /** Names or paths; none: every profile in `./profiles`, else the shipped ones. */
  readonly profiles: readonly string[]
  /** A prompts folder beside the profiles' own. */
  readonly prompts?: string
  readonly locale?: string
  readonly format: "text" | "json"
  readonly fix: boolean
  /** Only these rules. */
  readonly rule: readonly string[]
  /** Recorded turns, for the rules that look at running times and results. */
  readonly trace: readonly string[]
  /** Warnings fail too. */
  readonly strict: boolean
  readonly listRules: boolean
  readonly debug: boolean
}

/** Looks for mistakes in profiles and prompts (T37). Resolves to the exit code: 1 where there is an error, or with `--strict` a warning. */
export async function lintCommand(options: LintOptions, { io, screen }: CliContext): Promise<number> {
  const paint = painterFor(io.stdout, io.env)
  if (options.listRules) {
    io.stdout.write(`${printRules(lintRules, paint)}\n`)
    return exitCodes.ok
  }
  const rules = options.rule.length === 0 ? lintRules : options.rule.map(ruleNamed)
  const read = () =>
    readLintFiles({
      profiles: options.profiles,
      promptFolder: options.prompts,
      locale: options.locale,
      traces: options.trace,
    })
  let context = await read()
  let problems = lint(context, rules)
  const found = problems.length
  if (options.fix && (await writeFixes(context, problems)) > 0) {
    context = await read()
    problems = lint(context, rules)
  }
  const outcome = { context, problems, fixed: Math.max(0, found - problems.length) }
  if (context.files.every(({ shipped }) => shipped) && isUnnamed(options)) screen.note(onlyShipped)
  io.stdout.write(`${options.format === "json" ? jsonLine(lintJson(outcome)) : printLint(outcome, paint)}\n`)
  const { errors, warnings } = countBySeverity(problems)
  return errors > 0 || (options.strict && warnings > 0) ? exitCodes.failed : exitCodes.ok
}

/** Said beside the outcome: who lints a folder without profiles would take it for that of their own files. */
const onlyShipped =
  "There are no profiles in ./profiles: these are the shipped ones. Name yours, such as promptstrata lint ./mei.toml."

function isUnnamed({ profiles, prompts }: LintOptions): boolean {
  return profiles.length === 0 && prompts === undefined
}

function ruleNamed(name: string): LintRule {
  const found = lintRules.find((rule) => rule.name === name)
  if (found) return found
  const known = lintRules.map((rule) => rule.name)
  throw new PromptStrataError("usage", `expected a rule, found ${JSON.stringify(name)}.${didYouMean(name, known)}`, {
    hint: `Rules: ${known.join(", ")}.`,
  })
}
