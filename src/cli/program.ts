import { readFileSync } from "node:fs"
import { Command, InvalidArgumentError, Option } from "commander"
import type { ChatOptions } from "./chat.ts"
import { chatHelp, programHelp, renderHelp } from "./help-text.ts"
import type { CliIo } from "./io.ts"
import type { RenderOptions } from "./render.ts"
import type { Shown } from "./turn-printer.ts"

/** What the commands do. */
export interface Commands {
  readonly chat: (options: ChatOptions) => Promise<void>
  readonly render: (options: RenderOptions) => Promise<void>
}

const defaultProfile = "fay"

/** What commander leaves out; as defaults they would stand in the help. */
const switchedOff = { json: false, sections: false, debug: false }

type Given<Options> = Omit<Options, "profile" | keyof typeof switchedOff>

/** The command line: commands, options and their help. Wrong usage throws commander's error after its words went to stderr. */
export function createProgram({ stdout, stderr }: CliIo, commands: Commands): Command {
  const program = new Command("promptstrata")
    .description("Talk to a character, and see every layer of the prompt it works from.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print a command's help")
    .addHelpText("after", programHelp)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .showSuggestionAfterError()
  addChat(program, commands)
  addRender(program, commands)
  return program
}

function addChat(program: Command, { chat }: Commands): void {
  const command = program
    .command("chat")
    .summary("talk to a character")
    .description("Talk to a character. Answers stream; every prestart and tool step is shown as it happens.")
    .option("--once <question>", "ask one question, print the answer and end")
    .option("--json", "print events as lines of JSON")
    .addOption(
      new Option("--show <what>", "show more: prompt (each request, with where every section comes from) or trace; repeatable")
        .argParser(readShown)
        .default([], "neither"),
    )
  addShared(command)
  command.addHelpText("after", chatHelp)
  command.action((profile: string, given: Given<ChatOptions>) => chat({ ...switchedOff, ...given, profile }))
}

function addRender(program: Command, { render }: Commands): void {
  const command = program
    .command("render")
    .summary("print a prompt without a model")
    .description(
      "Print what a model would be sent for a question. Prestart tools run, as they are part of it; no model is asked.",
    )
    .option("--question <text>", "what is asked; default: what time it is")
    .option("--prompt <name>", "which prompt of the profile's dialect", "planner")
    .option("--sections", "with a heading per section: key, tokens, file and line, author")
    .option("--json", "print the whole assembly as JSON")
  addShared(command)
  command.addHelpText("after", renderHelp)
  command.action((profile: string, given: Given<RenderOptions>) => render({ ...switchedOff, ...given, profile }))
}

function addShared(command: Command): void {
  command
    .argument("[profile]", "name of a profile, or path of its .toml file", defaultProfile)
    .option("--locale <locale>", "language of the prompts, such as en or zh-CN")
    .option("--data-dir <folder>", "where tools keep their files, such as the schedule; made when first needed", "./data")
    .option("--debug", "print where an error was thrown")
}

function readShown(value: string, previous: readonly Shown[]): readonly Shown[] {
  if (value !== "prompt" && value !== "trace") throw new InvalidArgumentError("Allowed choices are prompt, trace.")
  return previous.includes(value) ? previous : [...previous, value]
}

function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  return (JSON.parse(text) as { readonly version: string }).version
}
