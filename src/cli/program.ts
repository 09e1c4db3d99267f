import { Command, InvalidArgumentError, Option } from "commander"
import { addEvents } from "./add-events.ts"
import { addInit } from "./add-init.ts"
import { addLint } from "./add-lint.ts"
import { addMcp, type McpCommands } from "./add-mcp.ts"
import { addMemory, type StoreCommands } from "./add-memory.ts"
import { addStoreOptions } from "./add-store-options.ts"
import { addWorker } from "./add-worker.ts"
import type { ChatOptions } from "./chat.ts"
import type { EventsOptions } from "./events.ts"
import { chatHelp, programHelp, renderHelp, schemaHelp, undoHelp } from "./help-text.ts"
import type { InitOptions } from "./init.ts"
import type { CliIo } from "./io.ts"
import type { LintOptions } from "./lint.ts"
import { packageVersion } from "./package-version.ts"
import type { RenderOptions } from "./render.ts"
import type { Shown } from "./turn-printer.ts"
import type { UndoOptions } from "./undo.ts"
import type { WorkerOptions } from "./worker.ts"

/** What the commands do. */
export interface Commands extends McpCommands, StoreCommands {
  readonly chat: (options: ChatOptions) => Promise<void>
  readonly render: (options: RenderOptions) => Promise<void>
  readonly lint: (options: LintOptions) => Promise<void>
  readonly init: (options: InitOptions) => Promise<void>
  readonly schema: () => Promise<void>
  readonly events: (options: EventsOptions) => Promise<void>
  readonly undo: (options: UndoOptions) => Promise<void>
  readonly worker: (options: WorkerOptions) => Promise<void>
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
  addLint(program, commands.lint)
  addInit(program, commands.init)
  addSchema(program, commands)
  addUndo(program, commands)
  addEvents(program, commands.events)
  addMcp(program, commands)
  addMemory(program, commands)
  addWorker(program, commands.worker)
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
  addShared(addStoreOptions(command))
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
  addShared(addStoreOptions(command))
  command.addHelpText("after", renderHelp)
  command.action((profile: string, given: Given<RenderOptions>) => render({ ...switchedOff, ...given, profile }))
}

function addShared(command: Command): void {
  command
    .argument("[profile]", "name of a profile, or path of its .toml file", defaultProfile)
    .option("--locale <locale>", "language of the prompts, such as en or zh-CN")
    .option("--data-dir <folder>", "where tools keep their files and chats are remembered; made when first needed", "./data")
    .option("--debug", "print where an error was thrown")
}

function addSchema(program: Command, { schema }: Commands): void {
  program
    .command("schema")
    .summary("print the JSON Schema of profiles, for editors")
    .description("Print the JSON Schema of a profile's TOML file. Editors complete and check keys with it.")
    .addHelpText("after", schemaHelp)
    .action(schema)
}

function addUndo(program: Command, { undo }: Commands): void {
  program
    .command("undo")
    .summary("take back the last change of a file")
    .description(
      "Take back the last change that a tool made to a file of the workspace, and show what that did. Undoing twice does it again; --id goes back further.",
    )
    .argument("[path]", "the file, such as MEMORY.md; default: the one that was changed last")
    .option("--list", "print the changes, newest first: id, time, by whom, file, lines added and removed")
    .option("--id <id>", "back to what the file held before this change; later changes of it are taken back too")
    .option("--profile <profile>", "whose workspace: a profile's name, or the path of its .toml file", "soul")
    .option("--locale <locale>", "language of the words here, such as en or zh-CN")
    .option("--data-dir <folder>", "where tools keep their files", "./data")
    .option("--debug", "print where an error was thrown")
    .addHelpText("after", undoHelp)
    .action((path: string | undefined, given: Omit<UndoOptions, "path" | "list" | "debug">) =>
      undo({ list: false, debug: false, ...given, ...(path === undefined ? {} : { path }) }),
    )
}

function readShown(value: string, previous: readonly Shown[]): readonly Shown[] {
  if (value !== "prompt" && value !== "trace") throw new InvalidArgumentError("Allowed choices are prompt, trace.")
  return previous.includes(value) ? previous : [...previous, value]
}
