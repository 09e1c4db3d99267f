import { type Command, Option } from "commander"
import { retryUnjudged } from "../../../memory/services/background/unjudged-turns.ts"
import { createMemoryService } from "../../../memory/services/memory/create-memory-service.ts"
import type { Memory } from "../../../memory/services/memory/memory-service.ts"
import { printCost, type Receipt } from "../../../memory/services/store/receipt.ts"
import type { MemoryKeys, StoredMemory } from "../../../memory/services/store/records.ts"
import type { StoreScope } from "../../../memory/services/store/store.ts"
import type { Profile } from "../../../profile/profile.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { clockOf, type RunCommand } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import { terminalConversation, terminalUser } from "../open-agent.ts"
import { readCount } from "../options.ts"
import type { StoreWords } from "../words/command-words.ts"
import { momentText, printColumns, zoneOf } from "./terminal-table.ts"
import { type OpenedStore, placeText, runOnStore, type StoreCommandOptions, scopeBy, storedRows } from "./with-store.ts"

/** Options of a command that prints at most `limit` rows. */
export interface ListOptions extends StoreCommandOptions {
  readonly limit: number
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
  runOnStore(command, run, memoryList)
}

/** Adds the command `memory show`. */
export function addShow(memory: Command, run: RunCommand): void {
  const command = memory
    .command("show")
    .summary("print a memory")
    .description("Print a memory with all its fields.")
    .argument("<id>", "the memory's id, from `memory list`")
    .option("--json", "print the memory as JSON")
  runOnStore(command, run, memoryShow)
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
    .option("--retry", "judge words again that could not be judged, by the next chat or worker")
    .option("--json", "print a line of JSON for each receipt")
  runOnStore(command, run, memoryReceipts)
}

/** Prints the newest memories, oldest first. Resolves to the exit code. */
async function memoryList(opened: OpenedStore, options: ListOptions & { readonly all?: boolean }): Promise<number> {
  const { store, profile, words } = opened
  const rows = await storedRows(store, scopeBy(profile, options), ["memory"])
  const memories = rows.map(({ memory }) => memory).filter(({ supersededBy }) => options.all || supersededBy === undefined)
  const listed = memories.slice(-options.limit)
  printItems(listed, options, { opened, ...listOfMemories(profile, words, options.user ?? options.conversation) })
  return listed.length > 0 ? exitCodes.ok : nameOtherAgents(opened)
}

function listOfMemories({ agent, memory }: Profile, words: StoreWords, whose?: string) {
  const none = whose === undefined ? words.noMemories : words.noMemoriesOf
  return {
    empty: (memory.enabled ? none : words.memoryOff)(terminalLine(agent.name), terminalLine(whose ?? "")),
    columns: words.memoryColumns,
    toCells: (stored: StoredMemory) => memoryCells(stored, words),
  }
}

/** The newest memories of a profile's agent as a table, for a chat. */
export async function memoryTable({ store, profile, words, maxWidth }: Omit<OpenedStore, "context">): Promise<string> {
  const { empty, columns, toCells } = listOfMemories(profile, words)
  const rows = await storedRows(store, { agent: profile.agent.id }, ["memory"])
  const newest = rows.flatMap(({ memory }) => (memory.supersededBy === undefined ? [memory] : [])).slice(-10)
  return newest.length === 0 ? empty : printColumns(columns, newest.map(toCells), maxWidth, zoneOf(profile))
}

function memoryCells(memory: StoredMemory, { superseded }: StoreWords): readonly (string | number)[] {
  const { id, atMs, importance, kind, speaker, text, supersededBy } = memory
  const note = supersededBy === undefined ? "" : `[${superseded}] `
  return [id, atMs, String(importance ?? "-"), kind, speaker.name, placeText(memory), note + text]
}

/** A memory of a scope by its id. If there is none, it prints that. */
export async function memoryOfId({ context, store, words }: OpenedStore, scope: StoreScope, id: string) {
  const rows = await storedRows(store, scope, ["memory"])
  const found = rows.find(({ memory }) => memory.id === id)
  if (found === undefined) context.screen.complain(words.noMemory(terminalLine(id)))
  return found?.memory
}

/** Prints one memory. Resolves to the exit code. */
async function memoryShow(opened: OpenedStore, options: StoreCommandOptions, id: string): Promise<number> {
  const memory = await memoryOfId(opened, { agent: opened.profile.agent.id }, id)
  if (memory === undefined) return exitCodes.failed
  const text = options.json ? jsonLine(memory) : memoryText(memory, opened.words, zoneOf(opened.profile))
  opened.context.io.stdout.write(`${text}\n`)
  return exitCodes.ok
}

function memoryText(memory: StoredMemory, { fields }: StoreWords, timeZone: string): string {
  const { speaker, atMs, againAtMs = [], importance, sources, untrusted, supersededBy, keys, updates, usedAtMs } = memory
  const moments = (all: readonly number[]) => `${all.map((atMs) => momentText(atMs, timeZone)).join(", ")} (${timeZone})`
  const times = moments([atMs, ...againAtMs])
  const said = [memory.id, memory.kind, memory.text, `${speaker.name} (${speaker.id})`, placeText(memory), times]
  const judged = [importance?.toString(), sources?.join(", "), untrusted?.toString(), supersededBy]
  const used = usedAtMs === undefined ? undefined : moments([usedAtMs])
  const values = [...said, ...judged, keys && keysText(keys), updates?.join(", "), used]
  const [first, ...others] = fields.flatMap((name, at) => (values[at] === undefined ? [] : [[name, values[at]]]))
  return printColumns(first ?? [], others)
}

/** The keys of a memory in one line, with the model that wrote them: `tram, commute; Ann: home; 2026-03-04 (m)`. */
function keysText({ words, facts = [], subject, relation, dates = [], by }: MemoryKeys): string {
  const fact = subject === undefined || relation === undefined ? "" : `${subject}: ${relation}`
  const told = facts.map(({ subject, relation, value = "-" }) => `${subject}: ${relation}: ${value}`)
  return `${[words.join(", "), fact, ...told, dates.join(", ")].filter(Boolean).join("; ")} (${by})`
}

/** Prints the newest receipts of background work, oldest first, and their cost. Resolves to the exit code. */
async function memoryReceipts(opened: OpenedStore, options: ListOptions & { readonly retry?: boolean }): Promise<number> {
  const { context, store, profile, words } = opened
  if (options.retry) {
    context.screen.note(words.retried(await retryUnjudged(store, scopeBy(profile, options), clockOf(context).nowMs())))
    return exitCodes.ok
  }
  const rows = await storedRows(store, scopeBy(profile, options), ["receipt"])
  const shown = rows.map(({ receipt }) => receipt).slice(-options.limit)
  const toCells = (receipt: Receipt) => [...receiptCells(receipt), context.translate(receipt.message ?? "")]
  printItems(shown, options, { opened, empty: words.noWork, columns: words.workColumns, toCells })
  if (shown.length === 0) return nameOtherAgents(opened)
  if (!options.json) context.io.stdout.write(`${printCost(shown).split(" · ").map(context.translate).join(" · ")}\n`)
  return exitCodes.ok
}

/** Says whose rows the store holds, because an empty list of one agent would pass for an empty store. Returns the exit code. */
async function nameOtherAgents({ context, store, profile, words }: OpenedStore): Promise<number> {
  const others = (await store.agents()).filter((agent) => agent !== profile.agent.id)
  if (others.length > 0) context.screen.note(words.otherAgents(terminalLine(others.join(", "))))
  return exitCodes.ok
}

function receiptCells({ startedMs, kind, outcome, attempt, durationMs, usage, key }: Receipt): readonly (string | number)[] {
  const tokens = usage?.inputTokens === undefined ? "-" : `${usage.inputTokens} + ${usage.outputTokens ?? 0}`
  const duration = String(Math.round(durationMs))
  return [startedMs, kind, outcome, String(attempt), duration, tokens, key.user, placeText(key)]
}

/** How {@link printItems} shows items: as a table, or a note if there are none. */
interface ListStyle<Item> {
  readonly opened: OpenedStore
  readonly empty: string
  readonly columns: readonly string[]
  readonly toCells: (item: Item) => readonly (string | number)[]
}

/** Prints items as lines of JSON or as a table. Returns the exit code. */
export function printItems<Item>(items: readonly Item[], { json }: StoreCommandOptions, style: ListStyle<Item>): number {
  const { context, profile, maxWidth } = style.opened
  const { stdout } = context.io
  if (json) for (const item of items) stdout.write(`${jsonLine(item)}\n`)
  else if (items.length === 0) context.screen.note(style.empty)
  else stdout.write(`${printColumns(style.columns, items.map(style.toCells), maxWidth, zoneOf(profile))}\n`)
  return exitCodes.ok
}

/** The most memories that recall finds at once. */
const maxFound = 1_000

/** Adds the command `memory why`, which is also called `memory search`. */
export function addWhy(memory: Command, run: RunCommand): void {
  const command = memory
    .command("why")
    .alias("search")
    .summary("explain what a turn would recall for a question, and what it would not")
    .description(
      'Print every memory that may answer a question, best first, with its score and the share of each signal: those that a turn would recall, those behind the limit of [memory] recall_limit, and those that have nothing of the question. Of those that it would recall, a turn shows the first for which recall_tokens has room. With [memory] store = "documents" or enabled = false a turn recalls none.',
    )
    .argument("<question>", "a question, or words")
    .option("--user <id>", "the user who asks", terminalUser)
    .option("--conversation <name>", "the group in which the question is asked (default: a private chat)")
    .option("--limit <count>", "at most this many memories", readCount, 20)
    .option("--json", "print a line of JSON for each memory")
  runOnStore(command, run, memoryWhy)
}

/** A memory that recall looked at. */
interface MemoryRanking extends Pick<Memory, "id" | "text" | "confidence"> {
  readonly score: Memory["score"] | undefined
  readonly why: Memory["why"] | undefined
  readonly recalled: boolean
}

async function memoryWhy(opened: OpenedStore, options: ListOptions, question: string): Promise<number> {
  const { context, store, profile, words } = opened
  const { key, found, others } = await explain(opened, options, question)
  const listed = found.slice(0, options.limit)
  const left = others.slice(0, Math.max(0, options.limit - listed.length))
  const rows = [...listed, ...left.map(({ id, text }): MemoryRanking => ({ id, text, score: 0, why: [], recalled: false }))]
  const { enabled, store: kind, recallLimit, minConfidence } = profile.memory
  const behind = !enabled ? words.isOff : kind === "documents" ? words.isInDocuments : words.isBehind(recallLimit)
  const state = ({ recalled, why = [], confidence = 1 }: MemoryRanking) => {
    const left = confidence < minConfidence ? words.isUnsure(confidence.toFixed(2)) : behind
    return recalled ? words.isRecalled : why.length > 0 ? left : words.hasNothing
  }
  const toCells = (row: MemoryRanking) => [state(row), row.id, (row.score ?? 0).toFixed(2), signalsText(row), row.text]
  printItems(rows, options, { opened, empty: words.nothingFound, columns: words.whyColumns, toCells })
  const hidden = found.length + others.length - rows.length
  if (rows.length > 0 && hidden > 0) context.screen.note(words.notListed(hidden))
  const kept = await storedRows(store, { agent: profile.agent.id }, ["memory"])
  const unseen = kept.filter(({ memory }) => memory.supersededBy === undefined).length - found.length - others.length
  const who = terminalLine(key.audience === "group" ? placeText(key) : key.user)
  if (unseen > 0) context.screen.note(words.notLookedAt(who, unseen))
  return exitCodes.ok
}

/** The memories that have something of the question, best first, and the others of the same scope, newest first. */
async function explain(opened: OpenedStore, options: ListOptions, question: string) {
  const { memory } = opened.profile
  const { hits, service, key } = await recallFor(question, opened, { ...options, limit: maxFound })
  const found = hits.map(
    ({ id, text, score, why, confidence = 1 }, at): MemoryRanking => ({
      ...{ id, text, score, why, confidence },
      recalled: memory.enabled && memory.store === "records" && at < memory.recallLimit && confidence >= memory.minConfidence,
    }),
  )
  const ids = new Set(found.map(({ id }) => id))
  const others = (await service.recent(key, Number.MAX_SAFE_INTEGER)).filter(({ id }) => !ids.has(id))
  return { key, found, others: others.toReversed() }
}

/** The memories that a turn of a user would recall for a question, in the group that the options name or in private. */
async function recallFor(query: string, { context, store, profile }: OpenedStore, options: ListOptions) {
  const { limit, user = terminalUser, conversation = terminalConversation } = options
  const { agent, recallWeights: weights, timeZone } = profile
  const service = createMemoryService({ records: store.memories, clock: clockOf(context), weights, timeZone })
  const audience = options.conversation === undefined ? "private" : "group"
  const key = { agent: agent.id, user, conversation, audience } as const
  return { service, key, hits: await service.recall(query, key, { limit, signal: new AbortController().signal }) }
}

function signalsText({ why = [] }: MemoryRanking): string {
  const shown = why.filter(({ share }) => share >= 0.005)
  return shown.map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`).join(", ") || "-"
}
