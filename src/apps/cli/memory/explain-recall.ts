import type { Command } from "commander"
import { createMemoryService } from "../../../memory/services/memory/create-memory-service.ts"
import type { Memory } from "../../../memory/services/memory/memory-service.ts"
import type { StoredMemory } from "../../../memory/services/store/records.ts"
import { clockOf, type RunCommand } from "../context.ts"
import { exitCodes, jsonLine } from "../io.ts"
import { terminalConversation, terminalUser } from "../open-agent.ts"
import { readCount } from "../options.ts"
import type { ListOptions } from "./print-memories.ts"
import { printTable } from "./terminal-table.ts"
import { type OpenedStore, runOnStore } from "./with-store.ts"

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
interface Explained extends Pick<Memory, "id" | "text" | "confidence"> {
  readonly score: Memory["score"] | undefined
  readonly why: Memory["why"] | undefined
  readonly recalled: boolean
}

async function memoryWhy(opened: OpenedStore, options: ListOptions, question: string): Promise<number> {
  const { context, profile, words, maxWidth } = opened
  const { found, others } = await explain(opened, options, question)
  const listed = found.slice(0, options.limit)
  const left = others.slice(0, Math.max(0, options.limit - listed.length))
  const rows = [...listed, ...left.map(({ id, text }): Explained => ({ id, text, score: 0, why: [], recalled: false }))]
  const { stdout } = context.io
  if (options.json) for (const row of rows) stdout.write(`${jsonLine(row)}\n`)
  else if (rows.length > 0) {
    const { enabled, store, recallLimit, minConfidence } = profile.memory
    const behind = !enabled ? words.isOff : store === "documents" ? words.isInDocuments : words.isBehind(recallLimit)
    const state = ({ recalled, why = [], confidence = 1 }: Explained) => {
      const left = confidence < minConfidence ? words.isUnsure(confidence.toFixed(2)) : behind
      return recalled ? words.isRecalled : why.length > 0 ? left : words.hasNothing
    }
    const cells = rows.map((row) => [state(row), (row.score ?? 0).toFixed(2), signalsText(row), row.id, row.text])
    stdout.write(`${printTable(words.whyColumns, cells, maxWidth)}\n`)
  }
  const hidden = found.length + others.length - rows.length
  if (rows.length === 0) context.screen.note(words.nothingFound)
  else if (hidden > 0) context.screen.note(words.notListed(hidden))
  return exitCodes.ok
}

/** The memories that have something of the question, best first, and the others of the same scope, newest first. */
async function explain(
  opened: OpenedStore,
  options: ListOptions,
  question: string,
): Promise<{ readonly found: readonly Explained[]; readonly others: readonly StoredMemory[] }> {
  const { memory } = opened.profile
  const { hits, service, key } = await recallFor(question, opened, { ...options, limit: maxFound })
  const found = hits.map(
    ({ id, text, score, why, confidence = 1 }, at): Explained => ({
      ...{ id, text, score, why, confidence },
      recalled: memory.enabled && memory.store === "records" && at < memory.recallLimit && confidence >= memory.minConfidence,
    }),
  )
  const ids = new Set(found.map(({ id }) => id))
  const others = (await service.recent(key, Number.MAX_SAFE_INTEGER)).filter(({ id }) => !ids.has(id))
  return { found, others: others.toReversed() }
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

function signalsText({ why = [] }: Explained): string {
  const shown = why.filter(({ share }) => share >= 0.005)
  return shown.map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`).join(", ") || "-"
}
