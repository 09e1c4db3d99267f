import { createMemoryService } from "../services/memory/create-memory-service.ts"
import type { StoredMemory } from "../services/store/records.ts"
import type { CliContext } from "./context.ts"
import { exitCodes } from "./exit-codes.ts"
import { jsonLine } from "./json-line.ts"
import { storedRows } from "./stored-rows.ts"
import { momentText, printTable } from "./table.ts"
import { oneLine } from "./terminal-text.ts"
import { type ScopeOptions, type StoreCommandOptions, scopeOf, withStore } from "./with-store.ts"
import type { StoreWords } from "./words-store.ts"

/** What `memory list` was asked for. */
export interface MemoryListOptions extends StoreCommandOptions, ScopeOptions {
  readonly limit: number
  /** Superseded ones too. */
  readonly all: boolean
  readonly json: boolean
}

/** What `memory search` was asked for. */
export interface MemorySearchOptions extends StoreCommandOptions, ScopeOptions {
  readonly query: string
  readonly limit: number
  readonly json: boolean
}

/** What `memory show` was asked for. */
export interface MemoryShowOptions extends StoreCommandOptions {
  readonly id: string
  readonly json: boolean
}

/** Prints the newest memories, oldest first. Resolves to the exit code. */
export function memoryList(options: MemoryListOptions, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words, width }) => {
    const rows = await storedRows(store, scopeOf(profile, options), ["memory"])
    const memories = rows.map(({ memory }) => memory).filter(({ supersededBy }) => options.all || supersededBy === undefined)
    const shown = memories.slice(Math.max(0, memories.length - options.limit))
    if (options.json) for (const memory of shown) context.io.stdout.write(`${jsonLine(memory)}\n`)
    else if (shown.length === 0) context.screen.note(words.noMemories)
    else
      context.io.stdout.write(
        `${printTable(
          words.memoryColumns,
          shown.map((memory) => memoryCells(memory, words)),
          width,
        )}\n`,
      )
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
    whereText(memory),
    note + text,
  ]
}

function whereText({ conversation, audience }: Pick<StoredMemory, "conversation" | "audience">): string {
  return audience === "group" ? `#${conversation}` : conversation
}

/** Prints what a turn would recall for a question, the most relevant first. Resolves to the exit code. */
export function memorySearch(options: MemorySearchOptions, context: CliContext): Promise<number> {
  const { query, limit, user = "user", conversation } = options
  return withStore(options, context, async ({ store, profile, words, width }) => {
    const clock = context.ports?.clock ?? { nowMs: () => Date.now() }
    const service = createMemoryService({
      records: store.memories,
      clock,
      weights: profile.recallWeights,
      ...(profile.timeZone === undefined ? {} : { timeZone: profile.timeZone }),
    })
    const place =
      conversation === undefined
        ? ({ conversation: "terminal", audience: "private" } as const)
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
      context.io.stdout.write(`${printTable(words.foundColumns, rows, width)}\n`)
    }
    return exitCodes.ok
  })
}

/** Prints all that is kept of one memory. Resolves to the exit code. */
export function memoryShow(options: MemoryShowOptions, context: CliContext): Promise<number> {
  return withStore(options, context, async ({ store, profile, words }) => {
    const rows = await storedRows(store, { agent: profile.agent.id }, ["memory"])
    const memory = rows.find((row) => row.memory.id === options.id)?.memory
    if (memory === undefined) {
      context.screen.complain(words.noMemory(oneLine(options.id)))
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
    [fields.who, `${speaker.name} (${speaker.id})`],
    [fields.where, whereText(memory)],
    [fields.when, momentText(atMs)],
    [fields.importance, importance?.toString()],
    [fields.sources, sources?.join(", ")],
    [fields.untrusted, untrusted?.toString()],
    [fields.supersededBy, supersededBy],
  ]
  const [first, ...others] = rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return printTable(first ?? [], others)
}
