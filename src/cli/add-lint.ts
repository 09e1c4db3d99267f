import { type Command, Option } from "commander"
import { lintHelp } from "./help-text.ts"
import type { LintOptions } from "./lint.ts"

/** Adds the command `lint`. */
export function addLint(program: Command, lint: (options: LintOptions) => Promise<void>): void {
  program
    .command("lint")
    .summary("look for mistakes in profiles and prompts")
    .description("Look for mistakes in profiles and in the prompt files beside them. Nothing is sent to a model.")
    .argument("[profile...]", "names or paths of profiles; default: all in ./profiles, else those that ship")
    .option("--prompts <folder>", "a prompts folder to look at beside the profiles' own")
    .option("--locale <locale>", "language in which profiles are loaded; default: the profile's, else all there are")
    .addOption(new Option("--format <format>", "how problems are printed").choices(["text", "json"]).default("text"))
    .option("--fix", "mend what can be mended without changing what a file means", false)
    .option("--rule <name>", "run only this rule; repeatable", collect, [])
    .option(
      "--trace <file>",
      "turns as `chat --json --show trace` prints them, for what only running shows; repeatable",
      collect,
      [],
    )
    .option("--strict", "fail on warnings too", false)
    .option("--list-rules", "print the rules and end", false)
    .option("--debug", "print where an error was thrown", false)
    .addHelpText("after", lintHelp)
    .action((profiles: readonly string[], given: Omit<LintOptions, "profiles">) => lint({ ...given, profiles }))
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}
