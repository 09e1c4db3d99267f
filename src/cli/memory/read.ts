import { type Command, Option } from "commander"
import { createMemoryService } from "../../services/memory-service/create-memory-service.ts"
import { printCost } from "../../services/print-receipts.ts"
import type { Receipt } from "../../services/receipt.ts"
import type { StoredMemory } from "../../services/stored-memory.ts"
import type { CliContext, RunCommand } from "../context.ts"
import { exitCodes } from "../exit-codes.ts"
import { jsonLine } from "../json-line.ts"
import { terminalConversation } from "../open-agent.ts"
import { readCount } from "../options.ts"
import { oneLine } from "../terminal-text.ts"
import type { StoreWords } from "../words/store-words.ts"
import { momentText, printTable } from "./table.ts"
import {
  addStoreCommandOptions,
  placeText,
  type ScopeOptions,
  type StoreCommandOptions,
  scopeOf,
  storedRows,
  withStore,
} from "./with-store.ts"

/** Options of a command that prints at most `limit` rows. */
interface ListOptions extends StoreCommandOptions, ScopeOptions {
  readonly limit: number
  readonly json?: boolean
}

/** Adds the command `memory list`. */
export function addList(memory: Command, run: RunCommand): void {
  const command = memory
    .command("list")
    .summary("print the newest memories")
    .description("Print the newest memories, oldest first.")
    .addOption(new Option("--user <id>", "only memories of this user").conflicts("conversation"))
    .option("--conversation <name>", "only memories of this conversation")
    .option("--limit <count>", "at most this many memories", readCount, 20)
    .option("--all", "also print superseded memories")
    .option("--json", "print a line of JSON for each memory")
  addStoreCommandOptions(command).action((given: ListOptions & { readonly all?: boolean }) =>
    run((context) => memoryList(given, context), { debug: given.debug }),
  )
}

/** Adds the command `memory search`. */
export function addSearch(memory: Command, run: RunCommand): void {
  const command = memory
    .command("search")
    .summary("print what a turn would recall for a question")
    .description("Print the memories that a turn would recall for a question, with the reasons.")
    .argument("<query>", "a question, or words")
    .option("--user <id>", "the user who asks", "user")
    .option("--conversation <name>", "the group in which the question is asked (default: a private chat)")
    .option("--limit <count>", "at most this many memories", readCount, 10)
    .option("--json", "print a line of JSON for each memory")
  addStoreCommandOptions(command).action((query: string, given: ListOptions) =>
    run((context) => memorySearch(query, given, context), { debug: given.debug }),
  )
}

/** Adds the command `memory show`. */
export function addShow(memory: Command, run: RunCommand): void {
  const command = memory
    .command("show")
    .summary("print a memory")
    .description("Print a memory with all its fields.")
    .argument("<id>", "the memory's id, from `memory list`")
    .option("--json", "print the memory as JSON")
  addStoreCommandOptions(command).action((id: string, given: StoreCommandOptions & { readonly json?: boolean }) =>
    run((context) => memoryShow(id, given, context), { debug: given.debug }),
  )
}

/** Adds the command `memory receipts`. */
export function addReceipts(memory: Command, run: RunCommand): void {
  const command = memory
    .command("receipts")
    .summary("print the newest background work")
    .description("Print the newest background work, oldest first: its outcome and its cost.")
    .addOption(new Option("--user <id>", "only work for this user").conflicts("conversation"))
    .option("--conversation <name>", "only work for this conversation")
    .option("--limit <count>", "at most this many receipts", readCount, 20)
    .option("--json", "print a line of JSON for each receipt")
  addStoreCommandOptions(command).action((given: ListOptions) =>
    run((context) => memoryReceipts(given, context), { debug: given.debug }),
  )
}

/** Prints the newest memories, oldest first. Resolves to the exit code. */
function memoryList(options: ListOptions & { readonly all?: boolean }, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words, maxWidth }) => {
    const rows = await storedRows(store, scopeOf(profile, options), ["memory"])
    const memories = rows.map(({ memory }) => memory).filter(({ supersededBy }) => options.all || supersededBy === undefined)
    const shown = memories.slice(Math.max(0, memories.length - options.limit))
    if (options.json) for (const memory of shown) context.io.stdout.write(`${jsonLine(memory)}\n`)
    else if (shown.length === 0) context.screen.note(words.noMemories)
    else {
      const rows = shown.map((memory) => memoryCells(memory, words))
      context.io.stdout.write(`${printTable(words.memoryColumns, rows, maxWidth)}\n`)
    }
    return exitCodes.ok
  })
}

function memoryCells(memory: StoredMemory, { superseded }: StoreWords): readonly string[] {
  const { id, atMs, importance, kind, speaker, text, supersededBy } = memory
  const note = supersededBy === undefined ? "" : `[${superseded}] `
  return [
    id,
    momentText(atMs),
    importance === undefined ? "-" : String(importance),
    kind,
    speaker.name,
    placeText(memory),
    note + text,
  ]
}

/** Prints the memories that a turn would recall for a question, the most relevant first. Resolves to the exit code. */
function memorySearch(query: string, options: ListOptions, context: CliContext): Promise<number> {
  const { limit, user = "user", conversation } = options
  return withStore(options, context, async ({ store, profile, words, maxWidth }) => {
    const clock = context.ports?.clock ?? { nowMs: () => Date.now() }
    const service = createMemoryService({
      records: store.memories,
      clock,
      weights: profile.recallWeights,
      ...(profile.timeZone === undefined ? {} : { timeZone: profile.timeZone }),
    })
    const place =
      conversation === undefined
        ? ({ conversation: terminalConversation, audience: "private" } as const)
        : ({ conversation, audience: "group" } as const)
    const key = { agent: profile.agent.id, user, ...place }
    const found = await service.recall(query, key, { limit, signal: new AbortController().signal })
    if (options.json) for (const memory of found) context.io.stdout.write(`${jsonLine(memory)}\n`)
    else if (found.length === 0) context.screen.note(words.nothingFound)
    else {
      const rows = found.map(({ id, text, score = 0, why = [] }) => [
        score.toFixed(2),
        why
          .slice(0, 2)
          .map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`)
          .join(", "),
        id,
        text,
      ])
      context.io.stdout.write(`${printTable(words.foundColumns, rows, maxWidth)}\n`)
    }
    return exitCodes.ok
  })
}

/** Prints one memory. Resolves to the exit code. */
function memoryShow(
  id: string,
  options: StoreCommandOptions & { readonly json?: boolean },
  context: CliContext,
): Promise<number> {
  return withStore(options, context, async ({ store, profile, words }) => {
    const rows = await storedRows(store, { agent: profile.agent.id }, ["memory"])
    const memory = rows.find((row) => row.memory.id === id)?.memory
    if (memory === undefined) {
      context.screen.complain(words.noMemory(oneLine(id)))
      return exitCodes.failed
    }
    const text = options.json ? jsonLine(memory) : memoryText(memory, words)
    context.io.stdout.write(`${text}\n`)
    return exitCodes.ok
  })
}

function memoryText(memory: StoredMemory, { fields }: StoreWords): string {
  const { id, kind, text, speaker, atMs, importance, sources, untrusted, supersededBy } = memory
  const rows: readonly (readonly [string, string | undefined])[] = [
    [fields.id, id],
    [fields.kind, kind],
    [fields.text, text],
    [fields.speaker, `${speaker.name} (${speaker.id})`],
    [fields.conversation, placeText(memory)],
    [fields.time, momentText(atMs)],
    [fields.importance, importance?.toString()],
    [fields.sources, sources?.join(", ")],
    [fields.untrusted, untrusted?.toString()],
    [fields.supersededBy, supersededBy],
  ]
  const [first, ...others] = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return printTable(first ?? [], others)
}

/** Prints the newest receipts of background work, oldest first, and their cost. Resolves to the exit code. */
function memoryReceipts(options: ListOptions, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words, maxWidth }) => {
    const rows = await storedRows(store, scopeOf(profile, options), ["receipt"])
    const shown = rows.map(({ receipt }) => receipt).slice(-options.limit)
    const { stdout } = context.io
    if (options.json) for (const receipt of shown) stdout.write(`${jsonLine(receipt)}\n`)
    else if (shown.length === 0) context.screen.note(words.noWork)
    else stdout.write(`${printTable(words.workColumns, shown.map(receiptCells), maxWidth)}\n${printCost(shown)}\n`)
    return exitCodes.ok
  })
}

function receiptCells({ startedMs, kind, outcome, attempt, durationMs, usage, key, message = "" }: Receipt): readonly string[] {
  const tokens = usage?.inputTokens === undefined ? "-" : `${usage.inputTokens} + ${usage.outputTokens ?? 0}`
  const duration = String(Math.round(durationMs))
  return [momentText(startedMs), kind, outcome, String(attempt), duration, tokens, key.user, placeText(key), message]
}
