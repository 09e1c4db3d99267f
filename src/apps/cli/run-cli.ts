import { CommanderError } from "commander"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { formatSource } from "../../core/source.ts"
import type { ModelChooser } from "./choose-model.ts"
import type { CliContext, ErrorOptions, RunCommand } from "./context.ts"
import { createInterrupts, type Interrupts } from "./interrupts.ts"
import { type CliIo, createScreen, exitCodeOfError, exitCodes, jsonLine } from "./io.ts"
import { createProgram } from "./program.ts"
import { type Translate, translationFor } from "./words/translate.ts"

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
  const argv = startsChat(given) ? ["chat", ...given] : given
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

/** Without a command the program is a chat, so that `npm start -- --once hi` is one. */
function startsChat([first = "--once"]: readonly string[]): boolean {
  return first.startsWith("-") && !["-h", "--help", "-V", "--version"].includes(first)
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
