import { CommanderError } from "commander"
import type { Ports } from "../core/ports.ts"
import { chat } from "./chat.ts"
import { chooseModel, type ModelChooser } from "./choose-model.ts"
import type { CliContext } from "./context.ts"
import { doctor } from "./doctor.ts"
import { events } from "./events.ts"
import { exitCodeOfError, exitCodes } from "./exit-codes.ts"
import { initCommand } from "./init.ts"
import { createInterrupts, type Interrupts } from "./interrupts.ts"
import type { CliIo } from "./io.ts"
import { jsonLine } from "./json-line.ts"
import { lintCommand } from "./lint.ts"
import { mcpApprove, mcpCall, mcpList } from "./mcp.ts"
import { memoryForget } from "./memory-forget.ts"
import { memoryExport, memoryImport } from "./memory-move.ts"
import { memoryList, memorySearch, memoryShow } from "./memory-read.ts"
import { memoryReceipts } from "./memory-receipts.ts"
import { createProgram } from "./program.ts"
import { render } from "./render.ts"
import { errorText } from "./report-error.ts"
import { schema } from "./schema.ts"
import { createScreen } from "./screen.ts"
import { undo } from "./undo.ts"
import { userShow } from "./user.ts"
import { worker } from "./worker.ts"

/** What tests put in the place of the real thing. */
export interface CliOverrides {
  readonly chooseModel?: ModelChooser
  readonly ports?: Partial<Ports>
}

/**
 * Runs the program with its arguments (without `node` and the script) and resolves to the exit code. Never rejects. After
 * Ctrl-C it may resolve while a tool is still coming to its end: whoever called ends the process.
 */
export async function runCli(argv: readonly string[], io: CliIo, overrides: CliOverrides = {}): Promise<number> {
  const interrupts = createInterrupts()
  const ignoreInterrupts = io.onInterrupt(interrupts.press)
  endOnBrokenPipe(io, interrupts)
  const closing: (() => Promise<void>)[] = []
  const atEnd = (close: () => Promise<void>): void => {
    closing.unshift(close)
  }
  const context: CliContext = { io, screen: createScreen(io), interrupts, chooseModel, atEnd, ...overrides }
  try {
    return await Promise.race([interrupts.left, runCommand(argv, context)])
  } finally {
    ignoreInterrupts()
    context.screen.endLine()
    for (const close of closing)
      await close().catch((thrown: unknown) => context.screen.complain(errorText(thrown, { debug: false })))
  }
}

async function runCommand(argv: readonly string[], context: CliContext): Promise<number> {
  let code: number = exitCodes.ok
  const run = async (work: Promise<number>, options: { readonly json: boolean; readonly debug: boolean }): Promise<void> => {
    code = await work.catch((thrown: unknown) => report(thrown, options, context))
  }
  const program = createProgram(context.io, {
    chat: (options) => run(chat(options, context), options),
    render: (options) => run(render(options, context), { ...options, json: false }),
    lint: (options) => run(lintCommand(options, context), { ...options, json: options.format === "json" }),
    schema: () => run(schema(context), { json: false, debug: false }),
    init: (options) => run(initCommand(options, context), { ...options, json: false }),
    events: (options) => run(events(options, context), options),
    undo: (options) => run(undo(options, context), { ...options, json: false }),
    mcpList: (options) => run(mcpList(options, context), { ...options, json: false }),
    mcpCall: (options) => run(mcpCall(options, context), { ...options, json: false }),
    mcpApprove: (options) => run(mcpApprove(options, context), { ...options, json: false }),
    memoryList: (options) => run(memoryList(options, context), { ...options, json: false }),
    memorySearch: (options) => run(memorySearch(options, context), { ...options, json: false }),
    memoryShow: (options) => run(memoryShow(options, context), { ...options, json: false }),
    memoryReceipts: (options) => run(memoryReceipts(options, context), { ...options, json: false }),
    memoryForget: (options) => run(memoryForget(options, context), { ...options, json: false }),
    memoryExport: (options) => run(memoryExport(options, context), { ...options, json: false }),
    memoryImport: (options) => run(memoryImport(options, context), { ...options, json: false }),
    userShow: (options) => run(userShow(options, context), { ...options, json: false }),
    doctor: (options) => run(doctor(options, context), { ...options, json: false }),
    worker: (options) => run(worker(options, context), { ...options, json: false }),
  })
  try {
    await program.parseAsync(argv, { from: "user" })
    return code
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return report(thrown, { json: false, debug: false }, context)
  }
}

function report(
  thrown: unknown,
  { json, debug }: { readonly json: boolean; readonly debug: boolean },
  { io, screen }: CliContext,
): number {
  if (json)
    io.stdout.write(`${jsonLine({ type: "error", error: thrown instanceof Error ? thrown : new Error(String(thrown)) })}\n`)
  if (!json || debug) screen.complain(errorText(thrown, { debug }))
  return exitCodeOfError(thrown)
}

/** A reader that went away, as `head` does, ends the program quietly. What is still written then goes nowhere, and says nothing. */
function endOnBrokenPipe({ stdout, stderr }: CliIo, { leave }: Interrupts): void {
  const onError = ({ code }: NodeJS.ErrnoException): void => leave(code === "EPIPE" ? exitCodes.ok : exitCodes.failed)
  for (const stream of [stdout, stderr]) stream.on("error", onError)
}
