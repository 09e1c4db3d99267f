import { Command } from "commander"
import { packageVersion } from "../../node/shipped-files.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import type { RunCommand } from "./context.ts"
import { type CliIo, fitLines } from "./io.ts"
import { helpIn, helpPage } from "./words/help.ts"
import { english, type Translate } from "./words/translate.ts"

type AddCommand = (program: Command, run: RunCommand) => void

/** The commands by their groups: usage and summary, as the list of help shows them, and the code, which is loaded when it is named. */
const commands: Readonly<
  Record<string, readonly (readonly [usage: string, summary: string, load: () => Promise<AddCommand>])[]>
> = {
  "Characters:": [
    ["chat [options] [profile]", "talk to a character", async () => (await import("./chat/chat.ts")).addChat],
    ["serve [options] [profiles...]", "answer over HTTP", async () => (await import("./serve/serve.ts")).addServe],
    ["init [options] [folder]", "create a character of your own", async () => (await import("./commands/init.ts")).addInit],
    [
      "import [options] <path> [to]",
      "take over files of other programs",
      async () => (await import("./commands/import.ts")).addImportFile,
    ],
    ["card", "show, check and convert character cards", async () => (await import("./commands/card.ts")).addCard],
    [
      "undo [options] [path]",
      "undo a change to a file of the workspace",
      async () => (await import("./commands/undo.ts")).addUndo,
    ],
  ],
  "Prompts and profiles:": [
    [
      "inspect [options] [profile]",
      "talk in the browser, beside what is sent",
      async () => (await import("./serve/inspect.ts")).addInspect,
    ],
    [
      "render [options] [profile]",
      "print the prompt for a question",
      async () => (await import("./commands/render.ts")).addRender,
    ],
    [
      "lint [options] [profile...]",
      "find mistakes in profiles and prompts",
      async () => (await import("./commands/lint.ts")).addLint,
    ],
    ["schema", "print the JSON Schema of profiles", async () => (await import("./commands/schema.ts")).addSchema],
    ["mcp", "list, call and approve the tools of MCP servers", async () => (await import("./commands/mcp.ts")).addMcp],
    [
      "simulate [options] <script>",
      "live the days of a script, and check them",
      async () => (await import("./simulate/simulate.ts")).addSimulate,
    ],
  ],
  "Memory:": [
    ["memory", "list, search, export or delete memories", async () => (await import("./memory/memory-commands.ts")).addMemory],
    ["user", "print what is known about a user", async () => (await import("./memory/user.ts")).addUser],
    [
      "events [options] [profile]",
      "print the events that a character remembers",
      async () => (await import("./commands/events.ts")).addEvents,
    ],
    ["cost [options]", "sum up what models and background work used", async () => (await import("./memory/cost.ts")).addCost],
    ["schedule", "print and cancel reminders", async () => (await import("./memory/schedule.ts")).addSchedule],
    ["doctor [options]", "check, back up or repair the store", async () => (await import("./memory/doctor.ts")).addDoctor],
    [
      "worker [options] [profile]",
      "do background work of chats in other processes",
      async () => (await import("./commands/worker.ts")).addWorker,
    ],
  ],
}

interface ProgramOptions {
  readonly translate?: Translate
  /** The words of the command line. Commands that are not among them are only listed. Default: none is only listed. */
  readonly argv?: readonly string[] | undefined
}

/** Creates the command line: commands, options and help. Wrong usage prints to stderr and throws commander's error. */
export async function createProgram(
  { stdout, stderr }: CliIo,
  run: RunCommand,
  { translate = english, argv }: ProgramOptions = {},
): Promise<Command> {
  const program = new Command("promptstrata")
    .description("Talk to a character, and see where every part of its prompt comes from.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // An error repeats the arguments.
      writeErr: (text) => stderr.write(fitLines(terminalText(translate(text)), stderr)),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .configureHelp(helpIn(translate))
    .showSuggestionAfterError()
  for (const [group, entries] of Object.entries(commands)) {
    program.commandsGroup(group)
    for (const [usage, summary, load] of entries) {
      const [name = ""] = usage.split(" ")
      if (argv?.includes(name) === false) program.command(usage)
      else (await load())(program, run)
      program.commands.at(-1)?.summary(summary)
    }
  }
  program.commandsGroup("Help:")
  for (const command of [program, ...program.commands]) {
    command.addHelpText("after", helpPage)
    if (command.commands.length > 0) command.helpCommand("help [command]", "print the help of a command")
  }
  return program
}
