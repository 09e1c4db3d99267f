import { type HistoryMessage, type KeptPrestart, spokenOf } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import { isRecord, mapTextValues, recordOf } from "../../core/json-access.ts"
import { late } from "../../core/late.ts"
import { memoKind } from "../../core/memo.ts"
import type { TokenCounter } from "../../core/ports.ts"
import { whatHappened, within } from "../../core/timers.ts"
import { defined } from "../../core/value.ts"
import type { Memory } from "../../memory/services/memory/memory-service.ts"
import type { PrestartSettings } from "../../profile/profile.ts"
import { memoOf } from "../../prompt/assemble/assembler.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { loadNameLooks } from "../../prompt/dialect/shipped.ts"
import type { RecalledMemory } from "../../prompt/layers/turn-state.ts"
import type { ToolRun } from "../../prompt/tools/tool.ts"
import { runHooks } from "./run-hooks.ts"
import { runTool } from "./run-tool.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import type { Findings, OtherSpeakers } from "./turn-progress.ts"

/** Runs prestart tools, recall and hooks concurrently, and returns the results. One that failed or returned nothing is left out and reported (T25). */
export async function gather(turn: TurnContext, prestart: readonly PrestartSettings[]): Promise<Findings> {
  const hooks = runHooks(turn)
  const running = prestart.map((entry) => runPrestart(turn, entry, hooks))
  const [results, memories] = await Promise.all([Promise.all(running), recall(turn), hooks])
  const [shown, kept]: [KeptPrestart[], KeptPrestart[]] = [[], []]
  const [runs, fresh]: [ToolRun[], PrestartResult[]] = [[], []]
  for (const [index, found] of results.entries()) {
    const { run, atMs } = found
    const { tool, args, result } = run
    runs.push(run)
    if (run.status === "failed" || run.empty === true) {
      warn(turn, "prestart", `${tool} was left out: ${result}`)
      continue
    }
    const plain = { tool, args, result }
    shown.push(run.repeatOf === undefined ? plain : { ...plain, ageMs: turn.startedMs - atMs })
    kept.push(prestart[index]?.includeHistory && !isInHistory(turn, plain) ? plain : { ...plain, once: true })
    if (prestart[index]?.refreshMs) fresh.push(found)
  }
  const { states } = turn.progress.hooks
  if (fresh.length > 0 || states.has(stateName)) states.set(stateName, fresh)
  return { memories, prestartRuns: runs, prestart: shown, kept }
}

/** The name under which the last results are kept beside the states of hooks, for `refresh_ms`. */
const stateName = "prestart-results"

/** A prestart run, the moment of its result, and all by which an equal call is known: tool, arguments and user. */
interface PrestartResult {
  readonly run: ToolRun
  readonly atMs: number
  readonly call: string
}

/**
 * Runs a prestart tool, or takes its last result while that is new enough (H5). A tool that the agent does not have may be one that a
 * hook adds, so it waits for the hooks.
 */
async function runPrestart(turn: TurnContext, entry: PrestartSettings, hooks: Promise<void>): Promise<PrestartResult> {
  const { tools, ports, profile } = turn.agent
  const { tool: name, refreshMs = 0, timeoutMs = profile.limits.prestartMs } = entry
  const args = fillArguments(entry.args, { question: turn.occasion })
  const id = ports.ids.next("prestart")
  turn.emit({ type: "prestart-start", id, tool: name, args })
  const call = JSON.stringify([name, args, turn.input.key.user])
  const kept = turn.session.hooks[stateName]
  const last = Array.isArray(kept) ? (kept as PrestartResult[]).find((one) => one.call === call) : undefined
  const fresh = last && Math.abs(turn.startedMs - last.atMs) < refreshMs ? last : undefined
  if (!fresh && !tools.get(name)) await hooks
  const run: ToolRun = fresh
    ? { ...fresh.run, id, repeatOf: fresh.run.repeatOf ?? fresh.run.id, durationMs: 0 }
    : await runTool(turn, { id, name, args, tool: tools.get(name) ?? turn.progress.tools.get(name), timeoutMs })
  turn.emit({ type: "prestart-end", run })
  return { run, atMs: fresh?.atMs ?? turn.startedMs, call }
}

/** True if the history that the turn shows ends, for this call, with this very result. */
function isInHistory({ history }: TurnContext, { tool, args, result }: KeptPrestart): boolean {
  const call = JSON.stringify([tool, args])
  const kept = history.flatMap(({ prestart = [] }) => prestart).filter(({ once }) => once !== true)
  return kept.findLast((one) => JSON.stringify([one.tool, one.args]) === call)?.result === result
}

/**
 * Copies a prestart tool's arguments with the question in place of `{{question}}` in every string value, at any depth
 * (T25). The question itself is not searched for placeholders. Keys stay as they are.
 */
export function fillArguments(
  args: Readonly<Record<string, unknown>>,
  { question }: { readonly question: string },
): Record<string, unknown> {
  return mapTextValues(args, (text) => text.replaceAll("{{question}}", () => question)) as Record<string, unknown>
}

/** Recalls memories for the turn, unless the conversation's memory is off. */
async function recall(turn: TurnContext): Promise<readonly RecalledMemory[]> {
  const { agent, session, input, history } = turn
  const { memory, ports, profile } = agent
  // Documents in the prompt are then the memory.
  if (!memory || !session.memoryOn || profile.memory.store === "documents") return []
  const { prestartMs } = profile.limits
  const { recallLimit: limit, minConfidence } = profile.memory
  // Turns that the prompt shows as history need not be recalled, and those in whose place this turn comes must not be.
  const shown = new Set<string>()
  for (const { turnId } of history) shown.add(turnId)
  for (const turnId of input.replaces?.turns ?? []) shown.add(turnId)
  const exclude = shown.size === 0 ? {} : { excludeTurns: [...shown] }
  const told = (message: string): void => warn(turn, "recall", message)
  const outcome = await within({ timeoutMs: prestartMs, signal: turn.signal, timers: ports.timers }, async (signal) =>
    recalledMemories(
      await memory.recall(input.merged?.words ?? turn.occasion, input.key, {
        limit,
        minConfidence,
        signal,
        warn: told,
        ...exclude,
      }),
      limit,
    ),
  )
  if (outcome.status === "done") {
    const { memories, passedOver } = outcome.value
    if (passedOver > 0) warn(turn, "recall", `${passedOver} of the recalled memories have no text and were left out.`)
    const room = withinTokens(memories, profile.memory.recallTokens, ports.counter)
    if (room.shortened > 0)
      warn(turn, "recall", `Cut to half of memory.recall_tokens: ${room.shortened} of the recalled memories.`)
    return room.shown
  }
  if (outcome.status !== "aborted") warn(turn, "recall", `No memories in this turn: recall ${whatHappened(outcome, prestartMs)}.`)
  return []
}

/** The first memories that `tokens` have room for. Of one that takes more than half of them, about so much is shown, from the place on that answers. */
export function withinTokens(
  memories: readonly RecalledMemory[],
  tokens: number,
  counter: TokenCounter,
): { readonly shown: readonly RecalledMemory[]; readonly shortened: number } {
  const shown: RecalledMemory[] = []
  let [left, shortened] = [tokens, 0]
  for (const { foundAt = 0, ...memory } of memories) {
    const { text, size } = passageWithin(memory.text, { foundAt, most: tokens / 2, counter })
    left -= size
    if (left < 0) break
    shown.push({ ...memory, text })
    if (text !== memory.text) shortened++
  }
  return { shown, shortened }
}

/** A longer text than this is not counted whole. */
const maxCounted = 16_384

/** A text, or if it has more than `most` tokens, its part from a place on, or its end if that is short. */
function passageWithin(
  text: string,
  { foundAt, most, counter }: { readonly foundAt: number; readonly most: number; readonly counter: TokenCounter },
): { readonly text: string; readonly size: number } {
  for (let length = Math.min(text.length, maxCounted); ; ) {
    const begin = graphemeBoundaryBefore(text, Math.min(foundAt, text.length - length))
    const end = graphemeBoundaryBefore(text, begin + length)
    const part = text.slice(begin, end)
    const size = counter.count(part)
    if (size <= most) return { text: `${begin > 0 ? "…" : ""}${part}${end < text.length ? "…" : ""}`, size }
    length = Math.floor((length * most) / size)
  }
}

/**
 * Returns the usable entries of a memory service's answer, at most `limit`. An entry needs a text; other fields of a wrong type are
 * left out. `passedOver` counts the entries without a text. Throws `store` if the answer is not a list.
 */
export function recalledMemories(
  answer: unknown,
  limit: number,
): { readonly memories: readonly RecalledMemory[]; readonly passedOver: number } {
  if (!Array.isArray(answer)) {
    const message = `expected recall() of the memory service to return a list of memories, found ${answer === null ? "null" : typeof answer}.`
    throw new PromptStrataError("store", message)
  }
  const first: readonly unknown[] = answer.slice(0, Math.max(0, limit))
  const memories = first.flatMap((entry, at) => memoryOf(entry, at) ?? [])
  return { memories, passedOver: first.length - memories.length }
}

type UnreadMemory = Partial<Record<keyof Memory, unknown>>

function memoryOf(entry: unknown, at: number): RecalledMemory | undefined {
  if (typeof entry !== "object" || entry === null) return undefined
  const { id, text, foundAt, speaker, atMs, againAtMs, untrusted, score, reranked, why } = entry as UnreadMemory
  if (typeof text !== "string" || text.trim() === "") return undefined
  const name = isRecord(speaker) ? speaker.name : speaker
  return defined({
    id: typeof id === "string" ? id : `${at}`,
    text,
    foundAt: Number.isInteger(foundAt) ? Number(foundAt) : undefined,
    speaker: typeof name === "string" ? name : undefined,
    atMs: isDate(atMs) ? atMs : undefined,
    againAtMs: Array.isArray(againAtMs) ? againAtMs.filter(isDate) : undefined,
    untrusted: untrusted === true || undefined,
    score: typeof score === "number" ? score : undefined,
    reranked: typeof reranked === "number" ? reranked : undefined,
    why: Array.isArray(why) ? why.filter(isReason) : undefined,
  })
}

const maxDateMs = 8_640_000_000_000_000

/** A number beyond the range of dates is not a time. */
const isDate = (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= maxDateMs

function isReason(value: unknown): boolean {
  const reason = recordOf(value)
  return typeof reason.signal === "string" && typeof reason.value === "number" && typeof reason.share === "number"
}

interface Names {
  /** Those who spoke. */
  readonly spoke: readonly string[]
  /** Those whom somebody answered or mentioned. */
  readonly named: readonly string[]
}

/** The table is read once. */
const loadLooks = late(loadNameLooks)

/** Names, and the number of the messages that they come from. The session's memo keeps them, so a store is asked once, and a session that forgets its requests forgets them too. */
const known = memoKind<Dialect, Names & { readonly messages: number }>()

const mostMessages = 2_000
const mostNames = 500

/**
 * Returns the names of the people who spoke in the conversation, or whom somebody answered or mentioned, also before the messages that
 * were loaded for the turn: a line of another person must not begin as theirs (T5). They are those of the newest 2,000 messages, and at
 * most 500, first of all those who spoke. They are read again after messages left the history. If the store fails, the turn goes on with the names that it has.
 */
export async function readSpeakers(turn: TurnContext): Promise<OtherSpeakers> {
  const { record, assembler, agent } = turn
  const { history = [], earlier = 0 } = record ?? {}
  let { spoke, named } = namesIn(history)
  if (earlier > 0) {
    const memo = memoOf(assembler)
    const before = memo.get(known, agent.dialect)
    const messages = earlier + spokenOf(history).length
    // Messages between those that were read and those that were loaded are not known.
    const isWhole = before !== undefined && before.messages >= earlier && before.messages <= messages
    const older = isWhole ? before : await olderNames(turn)
    if (older) {
      spoke = newest([...older.spoke, ...spoke])
      named = newest([...older.named, ...named])
      memo.set(known, agent.dialect, { spoke, named, messages })
    }
  }
  return { names: newest([...named, ...spoke]), looks: await loadLooks() }
}

async function olderNames(turn: TurnContext): Promise<Names | undefined> {
  const { agent, signal } = turn
  const { prestartMs: timeoutMs } = agent.profile.limits
  const outcome = await within({ timeoutMs, signal, timers: agent.ports.timers }, () =>
    turn.messages({ role: "user", limit: mostMessages }),
  )
  if (outcome.status === "done") return namesIn(outcome.value)
  if (outcome.status !== "aborted")
    warn(turn, "recall", `Names of people who spoke long ago are not known: reading them ${whatHappened(outcome, timeoutMs)}.`)
  return undefined
}

function namesIn(history: readonly HistoryMessage[]): Names {
  const [spoke, named]: [string[], string[]] = [[], []]
  for (const { role, speaker, replyTo, mentions = [] } of history) {
    if (role === "user") spoke.push(speaker.name)
    if (replyTo) named.push(replyTo.speaker.name)
    for (const { name } of mentions) named.push(name)
  }
  return { spoke, named }
}

/** The names without repetition, the newest ones last. */
function newest(names: readonly string[]): readonly string[] {
  return [...new Set(names.toReversed())].slice(0, mostNames).reverse()
}
