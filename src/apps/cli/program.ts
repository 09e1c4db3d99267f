import { Command } from "commander"
import { packageVersion } from "../../node/shipped-files.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import { addChat } from "./chat/chat.ts"
import { addCard } from "./commands/card.ts"
import { addEvents } from "./commands/events.ts"
import { addImportFile } from "./commands/import.ts"
import { addInit } from "./commands/init.ts"
import { addLint } from "./commands/lint.ts"
import { addMcp } from "./commands/mcp.ts"
import { addRender } from "./commands/render.ts"
import { addSchema } from "./commands/schema.ts"
import { addUndo } from "./commands/undo.ts"
import { addWorker } from "./commands/worker.ts"
import type { RunCommand } from "./context.ts"
import type { CliIo } from "./io.ts"
import { addDoctor } from "./memory/doctor.ts"
import { addMemory } from "./memory/memory-commands.ts"
import { addSchedule } from "./memory/schedule.ts"
import { addUser } from "./memory/user.ts"
import { addInspect } from "./serve/inspect.ts"
import { addServe } from "./serve/serve.ts"
import { addSimulate } from "./simulate/simulate.ts"
import { helpIn, helpPage } from "./words/help.ts"
import { english, type Translate } from "./words/translate.ts"

/** Creates the command line: commands, options and help. Wrong usage prints to stderr and throws commander's error. */
export function createProgram({ stdout, stderr }: CliIo, run: RunCommand, translate: Translate = english): Command {
  const program = new Command("promptstrata")
    .description("Talk to a character, and see where every part of its prompt comes from.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // An error repeats the arguments.
      writeErr: (text) => stderr.write(terminalText(translate(text))),
      getOutHelpWidth: () => stdout.columns ?? 100,
      getErrHelpWidth: () => stderr.columns ?? 100,
    })
    .configureHelp(helpIn(translate))
    .showSuggestionAfterError()
  program.commandsGroup("Characters:")
  for (const add of [addChat, addServe, addInit, addImportFile, addCard, addUndo]) add(program, run)
  program.commandsGroup("Prompts and profiles:")
  for (const add of [addInspect, addRender, addLint, addSchema, addMcp, addSimulate]) add(program, run)
  program.commandsGroup("Memory:")
  for (const add of [addMemory, addUser, addEvents, addSchedule, addDoctor, addWorker]) add(program, run)
  program.commandsGroup("Help:")
  for (const command of [program, ...program.commands]) {
    command.addHelpText("after", helpPage)
    if (command.commands.length > 0) command.helpCommand("help [command]", "print the help of a command")
  }
  return program
}
