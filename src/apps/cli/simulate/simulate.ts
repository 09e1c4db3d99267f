import type { Command } from "commander"
import { terminalText } from "../../../prompt/encode/terminal-text.ts"
import type { ModelChooser } from "../choose-model.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { demoModel } from "../demo/demo-model.ts"
import { columnsOf, exitCodes, jsonLine } from "../io.ts"
import { addCommonOptions, type CommonOptions, collectValues, readCount, readNamedFile } from "../options.ts"
import { readPrices } from "../serve/read-prices.ts"
import { live } from "./live.ts"
import { type MeasuredLife, measure } from "./measure.ts"
import { failuresOf, lifePage, printLives } from "./print-life.ts"
import { readScript } from "./read-script.ts"

interface SimulateOptions extends CommonOptions {
  readonly days?: number
  /** More profiles that live the same days. */
  readonly with?: readonly string[]
  /** Ask the model of the profile and the environment, in place of the offline demo. */
  readonly model?: boolean
  /** The model that plays the script's user, in place of rules. */
  readonly userModel?: string
  readonly prices?: string
  readonly json?: boolean
  readonly html?: boolean
}

/** Adds the command `simulate` (H7). */
export function add(program: Command, run: RunCommand): void {
  const command = program
    .command("simulate")
    .description(
      "Live the days of a script with a profile, as fast as the machine can: what is remembered, forgotten and brought back, and what each day costs. No model is asked unless --model or --user-model is given.",
    )
    .argument("<script>", "a file with what is said on which day, and what is expected")
    .option("--days <number>", "live so many days (default: the script's)", readCount)
    .option("--with <profile>", "a further profile, beside the first; can be given again", collectValues)
    .option("--model", "ask the model of the profile and the environment, in place of the offline demo")
    .option("--user-model <name>", "the model that plays the script's user, who otherwise says the lines of its persona")
    .option("--prices <file>", "a JSON file with the prices of models, as for inspect; one price is for all models")
    .option("--json", "print the numbers as JSON")
    .option("--html", "print a page with curves; it is one file and needs no network")
  addCommonOptions(command, { profile: "layered" }).action((script: string, { debug, ...given }: SimulateOptions) =>
    run((context) => simulate(script, given, context), { debug }),
  )
}

/** Lives a script with one profile or several. Resolves to the exit code: 1 if an expectation or a turn failed. */
async function simulate(path: string, options: SimulateOptions, context: CliContext): Promise<number> {
  const { io, screen, translate } = context
  const written = readScript(path, readNamedFile(path, "a script", 'Write one, such as: day 1 say "My cat is called Miso."'))
  const script = { ...written, days: options.days ?? written.days }
  const prices = readPrices(options.prices)
  const offline: ModelChooser = ({ locale }) => ({
    model: demoModel({ locale: locale.startsWith("zh") ? "zh-CN" : "en" }),
    demo: true,
  })
  const chooseModel = options.model ? context.chooseModel : offline
  const { userModel } = options
  const chooseUser: ModelChooser | undefined =
    userModel === undefined
      ? undefined
      : (profile, env) => context.chooseModel(profile, { ...env, PROMPTSTRATA_MODEL: userModel })
  const lives: MeasuredLife[] = []
  for (const profile of [options.profile ?? "layered", ...(options.with ?? [])]) {
    lives.push(measure(await live(script, { ...options, profile, chooseModel, chooseUser }, context), prices))
  }
  const failed = failuresOf(lives, script, translate)
  if (options.html) io.stdout.write(terminalText(lifePage(lives, script, translate)))
  else if (options.json) for (const life of lives) io.stdout.write(`${jsonLine(dataOf(life))}\n`)
  else io.stdout.write(`${terminalText(printLives(lives, columnsOf(io.stdout), translate))}\n`)
  for (const failure of failed) screen.complain(failure)
  return failed.length === 0 ? exitCodes.ok : exitCodes.failed
}

function dataOf({ name, measured, total, subjects, checks }: MeasuredLife): unknown {
  return {
    profile: name,
    days: measured,
    total,
    subjects,
    checks: checks.map(({ expectation, ...found }) => ({ ...expectation, ...found })),
  }
}
