import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { type Command, Option } from "commander"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { endLine, linesBeforeEnd } from "../../../memory/services/store/store-row.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import type { RunCommand } from "../context.ts"
import { chatOf } from "../import/chat-turns.ts"
import { writeTavernChat } from "../import/tavern-chat.ts"
import { exitCodes, printableJson } from "../io.ts"
import { terminalConversation, terminalUser } from "../open-agent.ts"
import {
  addStoreCommandOptions,
  countsText,
  type OpenedStore,
  runOnStore,
  type StoreCommandOptions,
  scopeBy,
  withStore,
} from "./with-store.ts"

interface ExportOptions extends StoreCommandOptions {
  /** A file that does not exist yet; default: stdout. */
  readonly out?: string
  /** The form of one conversation for another program. Default: all rows, as `memory import` reads them. */
  readonly as?: "sillytavern"
}

/** Adds the command `memory export`. */
export function addExport(memory: Command, run: RunCommand): void {
  const command = memory
    .command("export")
    .summary("print everything as lines of JSON")
    .description("Print everything as lines of JSON: conversations, memories, users, background work.")
    .addOption(new Option("--user <id>", "only what belongs to this user").conflicts("conversation"))
    .option("--conversation <name>", "only this conversation")
    .option("--out <file>", "write to a new file instead of stdout")
    .addOption(new Option("--as <form>", "a conversation as a chat of another program").choices(["sillytavern"]))
  runOnStore(command, run, memoryExport)
}

/** Adds the command `memory import`. */
export function addImport(memory: Command, run: RunCommand): void {
  const command = memory
    .command("import")
    .summary("read an export into the store")
    .description("Read an export into the store. Rows that the store already has are not changed.")
    .argument("<file>", "a file that `memory export` wrote, or - for stdin")
  addStoreCommandOptions(command).action((file: string, given: StoreCommandOptions) =>
    run((context) => withStore(given, context, (opened) => memoryImport(file, opened), { ifThere: false }), {
      debug: given.debug,
    }),
  )
}

/** Writes everything in a scope as lines of JSON. Resolves to the exit code. */
async function memoryExport({ context, store, profile, words }: OpenedStore, options: ExportOptions): Promise<number> {
  const lines =
    options.as === undefined ? withEnd(store.export(scopeBy(profile, options))) : chatLines({ store, profile, context }, options)
  if (options.out === undefined) {
    for await (const line of lines) context.io.stdout.write(`${printableJson(line)}\n`)
    return exitCodes.ok
  }
  const written = await writeLines(options.out, lines)
  context.screen.note(words.exported(written, terminalLine(options.out)))
  return exitCodes.ok
}

/** A conversation as a chat of SillyTavern. What it cannot hold is said. */
async function* chatLines(
  { store, profile, context }: Pick<OpenedStore, "store" | "profile" | "context">,
  { conversation = terminalConversation }: ExportOptions,
): AsyncGenerator<string> {
  const agent = { id: profile.agent.id, name: profile.agent.name }
  const turns = await store.branches({ agent: agent.id, conversation, audience: "private" })
  if (turns.length === 0)
    throw new PromptStrataError("usage", `expected a conversation, found none called ${JSON.stringify(conversation)}.`, {
      hint: "Name it with --conversation. `promptstrata memory export` without --as prints all of them.",
    })
  const chat = chatOf(turns, { agent, user: { id: terminalUser, name: profile.user.name } })
  for (const what of chat.report) context.screen.note(terminalLine(context.translate(`Not written: ${what}.`)))
  yield* writeTavernChat(chat).trimEnd().split("\n")
}

/** The lines, then one that counts them. */
async function* withEnd(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let count = 0
  for await (const line of lines) {
    count++
    yield line
  }
  yield endLine(count)
}

/** Writes a new file that only its owner can read. */
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
      hint: "Name a file that does not exist yet, in a folder that you can write to.",
    })
  }
  return written
}

/** Imports exported lines into the store. Resolves to the exit code. */
async function memoryImport(file: string, { context, store, words }: OpenedStore): Promise<number> {
  const input = file === "-" ? context.io.stdin : createReadStream(file)
  let hasEnd = false
  const lines = async function* () {
    for await (const line of exportedLines(input, file)) {
      if (line.trim() !== "") hasEnd = linesBeforeEnd(line) !== undefined
      yield line
    }
  }
  const counts = await store.import(lines())
  if (!hasEnd) context.screen.complain(words.noEnd(terminalLine(file)))
  context.screen.note(words.imported(countsText(counts)))
  return exitCodes.ok
}

/** The lines of an export. Splits at `\n` only, because JSON may contain other line breaks. */
export async function* exportedLines(input: AsyncIterable<unknown>, name: string): AsyncGenerator<string> {
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
