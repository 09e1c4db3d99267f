import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { openProfile } from "./open-profile.ts"
import { openCliStore } from "./open-store.ts"
import { countsText } from "./stored-rows.ts"
import { type ScopeOptions, type StoreCommandOptions, scopeOf, withStore } from "./with-store.ts"
import { storeWords } from "./words-store.ts"

/** What `memory export` was asked for. */
export interface MemoryExportOptions extends StoreCommandOptions, ScopeOptions {
  /** A file that is not there yet; default: stdout. */
  readonly out?: string
}

/** What `memory import` was asked for. */
export interface MemoryImportOptions extends StoreCommandOptions {
  /** `-` for stdin. */
  readonly file: string
}

/** Writes all that a scope owns as lines of JSON. Resolves to the exit code. */
export function memoryExport(options: MemoryExportOptions, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words }) => {
    const lines = store.export(scopeOf(profile, options))
    if (options.out === undefined) {
      for await (const line of lines) context.io.stdout.write(`${line}\n`)
      return exitCodes.ok
    }
    const written = await writeLines(options.out, lines)
    context.screen.note(words.exported(written, options.out))
    return exitCodes.ok
  })
}

/** For its owner alone, and never in the place of another file. */
async function writeLines(path: string, lines: AsyncIterable<string>): Promise<number> {
  let written = 0
  try {
    const file = await open(path, "wx", 0o600)
    try {
      for await (const line of lines) {
        await file.write(`${line}\n`)
        written += 1
      }
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (cause) {
    throw new PromptStrataError("file", `The export could not be written to ${path}: ${messageOf(cause)}.`, {
      cause,
      hint: "Name a file that does not exist yet, in a folder that this program may write to.",
    })
  }
  return written
}

/** Puts exported lines into the store, which is made where there is none. Resolves to the exit code. */
export async function memoryImport(options: MemoryImportOptions, context: CliContext): Promise<number> {
  const words = storeWords((await openProfile(options, context.io)).locale)
  const store = await openCliStore(options, context)
  if (store === undefined) {
    context.screen.complain(words.storeOff)
    return exitCodes.failed
  }
  const input = options.file === "-" ? context.io.stdin : createReadStream(options.file)
  const counts = await store.import(linesOf(input, options.file))
  context.screen.note(words.imported(countsText(counts) || "0"))
  return exitCodes.ok
}

/** At `\n` alone: other line breaks stand in JSON as they are. */
async function* linesOf(input: AsyncIterable<unknown>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ""
  try {
    for await (const chunk of input) {
      const lines = (held + (typeof chunk === "string" ? chunk : decoder.decode(chunk as Uint8Array, { stream: true }))).split(
        "\n",
      )
      held = lines.pop() ?? ""
      yield* lines
    }
  } catch (cause) {
    throw new PromptStrataError("file", `${name} could not be read: ${messageOf(cause)}.`, {
      cause,
      hint: "Name a file that `promptstrata memory export` wrote.",
    })
  }
  yield held + decoder.decode()
}
