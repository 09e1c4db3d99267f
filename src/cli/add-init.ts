import type { Command } from "commander"
import { initHelp } from "./help-text.ts"
import type { InitOptions } from "./init.ts"

/** Adds the command `init`. */
export function addInit(program: Command, init: (options: InitOptions) => Promise<void>): void {
  program
    .command("init")
    .summary("begin a character of your own")
    .description("Write a new project: a profile, a persona, a format, a skill, a tool, a chat in the terminal and a test.")
    .argument("[folder]", "where; made if it is not there")
    .option("--name <name>", "the character's name")
    .option("--locale <locale>", "language of the character: en or zh-CN")
    .option("--debug", "print where an error was thrown", false)
    .addHelpText("after", initHelp)
    .action((folder: string | undefined, given: Omit<InitOptions, "folder">) =>
      init({ ...given, ...(folder === undefined ? {} : { folder }) }),
    )
}
