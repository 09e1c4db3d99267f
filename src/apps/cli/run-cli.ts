import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type AddHelpTextContext, Command, CommanderError, type Help, type HelpConfiguration } from "commander"
import { displayWidth } from "../../core/display-width.ts"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { formatSource } from "../../core/source.ts"
import { packageVersion, shippedTemplatesFolder } from "../../node/shipped-files.ts"
import { terminalText } from "../../prompt/encode/terminal-text.ts"
import { wrapColumns } from "../../trace/table.ts"
import type { ModelChooser } from "./choose-model.ts"
import type { CliContext, ErrorOptions, RunCommand } from "./context.ts"
import { createInterrupts, type Interrupts } from "./interrupts.ts"
import { type CliIo, createScreen, exitCodeOfError, exitCodes, fitLines, jsonLine } from "./io.ts"
import { defaultModel } from "./options.ts"
import { english, type Translate, translationFor } from "./words/translate.ts"

/** A command: usage and summary, as the list of help shows them, and the code, which is loaded when it is named. */
type Entry = readonly [usage: string, summary: string, load: () => Promise<{ add(program: Command, run: RunCommand): void }>]

/** The commands by their groups. */
const commands: Readonly<Record<string, readonly Entry[]>> = {
  "Characters:": [
    ["chat [options] [profile]", "talk to a character", () => import("./chat/chat.ts")],
    ["serve [options] [profiles...]", "answer over HTTP", () => import("./serve/serve.ts")],
    ["bot", "answer at a chat platform", () => import("./serve/bot.ts")],
    ["init [options] [folder]", "create a character of your own", () => import("./commands/init.ts")],
    ["import [options] <path> [to]", "take over files of other programs", () => import("./commands/import.ts")],
    ["card", "show, check and convert character cards", () => import("./commands/card.ts")],
    ["undo [options] [path]", "undo a change to a file of the workspace", () => import("./commands/undo.ts")],
  ],
  "Prompts and profiles:": [
    ["inspect [options] [profile]", "talk in the browser, beside what is sent", () => import("./serve/inspect.ts")],
    ["render [options] [profile]", "print the prompt for a question", () => import("./commands/render.ts")],
    ["lint [options] [profile...]", "find mistakes in profiles and prompts", () => import("./commands/lint.ts")],
    ["schema", "print the JSON Schema of profiles", () => import("./commands/schema.ts")],
    ["mcp", "list, call and approve the tools of MCP servers", () => import("./commands/mcp.ts")],
    ["simulate [options] <script>", "live the days of a script, and check them", () => import("./simulate/simulate.ts")],
  ],
  "Memory:": [
    ["memory", "list, search, export or delete memories", () => import("./memory/memory-commands.ts")],
    ["user", "print what is known about a user", () => import("./memory/user.ts")],
    ["events [options] [profile]", "print the events that a character remembers", () => import("./commands/events.ts")],
    ["cost [options]", "sum up what models and background work used", () => import("./memory/cost.ts")],
    ["schedule", "print and cancel reminders", () => import("./memory/schedule.ts")],
    ["doctor [options]", "check, back up or repair the store", () => import("./memory/doctor.ts")],
    ["worker [options] [profile]", "do background work of chats in other processes", () => import("./commands/worker.ts")],
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
      else (await load()).add(program, run)
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

/** Help in the language of its reader, wrapped to the columns that its characters take. */
function helpIn(translate: Translate): HelpConfiguration {
  return { styleTitle: translate, styleDescriptionText: translate, displayWidth, boxWrap: wrapColumns, minWidthToWrap: 20 }
}

/**
 * The text behind a command's help, for `addHelpText`: the page of its name in `templates/help`, if there is one. It is written as paragraphs
 * and, two spaces in, items: a term, two spaces or more, and what it means, which may go on further in. Paragraphs are wrapped and terms
 * aligned. `{defaultModel}` in it is filled in.
 */
function helpPage({ command, error }: AddHelpTextContext): string {
  const page = join(shippedTemplatesFolder, "help", `${command.name()}.txt`)
  if (!existsSync(page)) return ""
  const { getOutHelpWidth, getErrHelpWidth } = command.configureOutput()
  const helpWidth = (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? 80
  const helper = command.createHelp()
  helper.prepareContext({ error, helpWidth, outputHasColors: false })
  const text = readFileSync(page, "utf8").trimEnd().replace("{defaultModel}", defaultModel)
  return `\n${text
    .split(/\r?\n\r?\n/)
    .map((block) => printBlock(block, helper, helpWidth))
    .join("\n\n")}`
}

function printBlock(block: string, helper: Help, width: number): string {
  const lines = joinedLines(block)
  const described = lines.filter(({ meaning }) => meaning !== undefined)
  const termWidth = Math.max(0, ...described.map(({ term }) => displayWidth(term)))
  return lines
    .map(({ term, meaning, item }) => {
      if (!item) return helper.boxWrap(helper.styleDescriptionText(term), width)
      const words = helper.styleDescriptionText(term)
      // A sentence that is not a term.
      if (meaning === undefined && term.endsWith(".")) return helper.boxWrap(words, width - 2).replace(/^/gm, "  ")
      return helper.formatItem(words, termWidth, meaning === undefined ? "" : helper.styleDescriptionText(meaning), helper)
    })
    .join("\n")
}

interface HelpLine {
  /** A paragraph, or the term of an item. */
  readonly term: string
  readonly meaning?: string | undefined
  readonly item: boolean
}

/** Joins what is written over several lines. */
function joinedLines(block: string): HelpLine[] {
  const joined: HelpLine[] = []
  for (const line of block.split("\n")) {
    const last = joined.at(-1)
    const text = line.trim()
    const indent = line.length - line.trimStart().length
    if (indent > 2 && last?.meaning !== undefined) joined.splice(-1, 1, { ...last, meaning: `${last.meaning} ${text}` })
    else if (indent > 0) joined.push(itemOf(text))
    else if (last && !last.item && last.term !== "") joined.splice(-1, 1, { ...last, term: `${last.term} ${text}` })
    else joined.push({ term: text, item: false })
  }
  return joined
}

function itemOf(text: string): HelpLine {
  const [, term = text, meaning] = /^(.+?) {2,}(\S.*)$/.exec(text) ?? []
  return { term, item: true, meaning }
}

/** Replacements for tests. */
export interface CliOverrides extends Pick<CliContext, "ports" | "storeTime"> {
  readonly chooseModel?: ModelChooser
}

/**
 * Runs the program with its arguments (without `node` and the script) and resolves to the exit code. Never rejects. After
 * Ctrl-C it may resolve while a tool is still running, so the caller must end the process.
 */
export async function runCli(argv: readonly string[], io: CliIo, overrides: CliOverrides = {}): Promise<number> {
  const interrupts = createInterrupts()
  const ignoreInterrupts = io.onInterrupt(interrupts.press)
  endOnBrokenPipe(io, interrupts)
  const closing: (() => Promise<void>)[] = []
  const atEnd = (close: () => Promise<void>): void => {
    closing.unshift(close)
  }
  const translate = await translationFor(argv, io.env)
  const context = { io, screen: createScreen(io, translate("error: ")), interrupts, translate, atEnd, ...overrides }
  try {
    return await Promise.race([interrupts.left, runCommand(argv, context)])
  } finally {
    ignoreInterrupts()
    context.screen.endLine()
    for (const close of closing)
      await close().catch((thrown: unknown) => context.screen.complain(errorText(thrown, {}, translate)))
  }
}

async function runCommand(given: readonly string[], context: Omit<CliContext, "chooseModel"> & CliOverrides): Promise<number> {
  const argv = withCommandFirst(given)
  let code: number = exitCodes.ok
  const run: RunCommand = async (command, errors) => {
    const { chooseModel } = await import("./choose-model.ts")
    code = await command({ chooseModel, ...context }).catch((thrown: unknown) => report(thrown, errors, context))
  }
  const program = await createProgram(context.io, run, { translate: context.translate, argv })
  try {
    await program.parseAsync(argv, { from: "user" })
    return code
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return report(thrown, {}, context)
  }
}

/** Puts a command before its options. Without one the program is a chat, so that `npm start -- --once hi` is one. */
function withCommandFirst(given: readonly string[]): readonly string[] {
  if (!/^-(?!(?:h|-help|V|-version)$)/.test(given[0] ?? "-")) return given
  const names = Object.values(commands).flatMap((entries) => entries.map(([usage]) => usage.split(" ", 1)[0]))
  // Behind an option it may be that option's value.
  const at = given.findIndex((word, place) => names.includes(word) && !/^-[^=]*$/.test(given[place - 1] ?? "-"))
  return at < 0 ? ["chat", ...given] : [...given.slice(at), ...given.slice(0, at)]
}

function report(
  thrown: unknown,
  { json = false, debug = false }: ErrorOptions,
  { io, screen, translate }: Omit<CliContext, "chooseModel">,
): number {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (json) io.stdout.write(`${jsonLine({ type: "error", error })}\n`)
  if (!json || debug) screen.complain(errorText(thrown, { debug }, translate))
  return exitCodeOfError(thrown)
}

function errorText(thrown: unknown, { debug = false }: ErrorOptions, translate: Translate): string {
  const isKnown = PromptStrataError.isInstance(thrown)
  const hint = isKnown || debug ? "" : "\nThis is a bug in promptstrata. Use --debug to see where it is."
  const stack = debug && thrown instanceof Error ? `\n${stackOf(thrown)}` : ""
  const where = isKnown && thrown.source ? `${formatSource(thrown.source)}: ` : ""
  return `${where}${translate(messageOf(thrown).slice(where.length))}${translate(hint)}${stack}`
}

function stackOf(error: Error): string {
  const own = error.stack ?? ""
  return error.cause instanceof Error && error.cause !== error ? `${own}\ncaused by: ${error.cause.stack ?? ""}` : own
}

/** Ends the program quietly when the reader of a pipe goes away, as `head` does. Later output is discarded. */
function endOnBrokenPipe({ stdout, stderr }: CliIo, { leave }: Interrupts): void {
  const onError = ({ code }: NodeJS.ErrnoException): void => leave(code === "EPIPE" ? exitCodes.ok : exitCodes.failed)
  for (const stream of [stdout, stderr]) stream.on("error", onError)
}
