import { Command } from "commander"
import { packageVersion } from "../../node/shipped-files.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import { addChat } from "./chat/chat.ts"
import { defaultModel } from "./choose-model.ts"
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
import { helpIn, textAfter } from "./words/help.ts"
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
    .addHelpText("after", textAfter(programHelp))
  program.commandsGroup("Characters:")
  for (const add of [addChat, addServe, addInit, addImportFile, addCard, addUndo]) add(program, run)
  program.commandsGroup("Prompts and profiles:")
  for (const add of [addInspect, addRender, addLint, addSchema, addMcp, addSimulate]) add(program, run)
  program.commandsGroup("Memory:")
  for (const add of [addMemory, addUser, addEvents, addSchedule, addDoctor, addWorker]) add(program, run)
  program.commandsGroup("Help:")
  return program.helpCommand("help [command]", "print the help of a command")
}

const programHelp = `
Model (environment variables):
  OPENAI_API_KEY      API key for OpenAI or a compatible server
  OPENAI_BASE_URL     URL of a compatible server, such as http://localhost:11434/v1
  PROMPTSTRATA_MODEL  name of the model (default: the profile's; at OpenAI ${defaultModel})
  Without a key and a URL, an offline demo model answers by simple rules. PROMPTSTRATA_MODEL=demo always uses it.

Store (chats and memories):
  A file in the data folder by default. --store or PROMPTSTRATA_STORE names another folder or a postgres:// URL.
  --no-store or PROMPTSTRATA_STORE=none keeps nothing.

Language and colours:
  The language is that of --locale, else of the profile, else of LC_ALL, LC_MESSAGES or LANG: zh-CN for zh*, or en.
  NO_COLOR turns colours off, FORCE_COLOR turns them on. By default only a terminal gets colours.

Exit codes:
  0    success
  1    a turn failed, or a check found a problem
  2    wrong usage
  130  interrupted with Ctrl-C

Examples:
  promptstrata chat                          talk to the character Fay
  promptstrata chat --once "帮我算 17*23"    ask one question
  promptstrata chat ./bots/mine.toml         talk to your own character
  promptstrata chat ./seraphina.png          talk to a character card
  promptstrata import ./seraphina.png        take over a card, a chat or other files of another program
  promptstrata serve fay                     answer over HTTP: OpenAI API, useChat, AG-UI
  promptstrata init luna                     create a character in the new folder luna
  promptstrata inspect fay                   talk in the browser, beside what is sent
  promptstrata render fay --sections         print the prompt and the source of every part
  promptstrata lint                          check ./profiles and ./prompts
  promptstrata memory list                   print what is remembered`
