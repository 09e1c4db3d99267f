import type { HistoryMessage, ServiceKey } from "../../../core/conversation.ts"
import { type Injection, priority, type SlotEntry, type SlotValue, type Trust, type TrustedText } from "../../../core/value.ts"
import type { Job } from "../store/job-runner.ts"
import type { Receipt } from "../store/receipt.ts"
import type { ReceiptRecords } from "../store/records.ts"
import type { JobContext } from "./background-job.ts"

/** The messages of a turn, as background work sees them. */
export interface TurnWords {
  readonly turnId: string
  readonly turn: number
  readonly untrusted: boolean
  readonly messages: readonly HistoryMessage[]
}

/** The most messages that are searched for a turn whose job does not say how many it has. */
const maxMessages = 400

/** The number of a turn, as a payload or a receipt says it; without one, the first. */
const numberOf = (turn: unknown): number => (typeof turn === "number" ? turn : 0)

/** The first moment behind the time of a job's last message; undefined if its payload does not say that. */
const momentBehind = (untilMs: unknown): number | undefined => (typeof untilMs === "number" ? untilMs + 1 : undefined)

/** The messages of the job's turn, only those of the user and the agent (T35); undefined if they were forgotten. */
export async function wordsOfTurn({ turnId, payload }: Job, context: JobContext): Promise<TurnWords | undefined> {
  const { turn, untrusted, count, fromMs, untilMs } = payload
  const times = typeof fromMs === "number" && typeof untilMs === "number" ? { fromMs, beforeMs: untilMs + 1 } : {}
  const find = async (limit: number): Promise<readonly HistoryMessage[]> =>
    (await context.messages({ ...times, limit })).filter((message) => message.turnId === turnId)
  // A small limit lets the store stop early. Other messages of the same moment may fill it, so a second search may be needed.
  let found = typeof count === "number" ? await find(count) : []
  if (typeof count !== "number" || found.length < count) found = await find(maxMessages)
  const messages = found.filter(({ text }) => text.trim() !== "")
  if (messages.length === 0) return undefined
  return { turnId, turn: numberOf(turn), untrusted: untrusted === true, messages }
}

/** The receipts of some turns of a conversation, read at once where the store can. */
export async function receiptsOfTurns(
  ids: readonly string[],
  { receipts, key }: { readonly receipts: ReceiptRecords; readonly key: ServiceKey },
): Promise<readonly Receipt[]> {
  if (receipts.ofTurns) return receipts.ofTurns(ids, key)
  return (await Promise.all(ids.map((id) => receipts.ofTurn(id, key)))).flat()
}

/** True if a later turn was answered in the conversation: its job judges this one's turn too. */
export async function isFollowed({ turnId }: Job, context: JobContext): Promise<boolean> {
  const [last] = await context.messages({ limit: 1 })
  return last !== undefined && last.turnId !== turnId && last.unanswered !== true
}

/** The turns that wait to be judged together with the job's turn, oldest first. */
export async function waitingTurns(
  { key, turnId, payload }: Job,
  batch: { readonly context: JobContext; readonly receipts: ReceiptRecords; readonly batchTurns: number },
): Promise<readonly TurnWords[]> {
  const { context, receipts, batchTurns } = batch
  const beforeMs = momentBehind(payload.untilMs)
  let found = await context.messages({ beforeMs, limit: Math.min(maxMessages, batchTurns * 4) })
  if (found.some(({ unanswered }) => unanswered)) found = await context.messages({ beforeMs, limit: maxMessages })
  const answered = found.flatMap((message) => (message.unanswered || message.turnId === turnId ? [] : [message.turnId]))
  const ids = [...new Set(answered)].slice(1 - batchTurns)
  const known = await receiptsOfTurns(ids, { receipts, key })
  const isJudged = (id: string) => known.some(({ turnId, kind }) => turnId === id && (kind === "store" || kind === "profile"))
  const turns: TurnWords[] = []
  for (const id of ids.slice(ids.findLastIndex(isJudged) + 1)) {
    const waiting = known.find((receipt) => receipt.turnId === id && receipt.kind === "batch")?.value
    if (waiting === undefined) continue
    const messages = found.filter((message) => message.turnId === id && message.text.trim() !== "")
    turns.push({ turnId: id, turn: numberOf(waiting.turn), untrusted: waiting.untrusted === true, messages })
  }
  return turns
}

/** The most words heard between two turns that are remembered, and their most UTF-16 units. */
const maxHeard = 50
const maxHeardCharacters = 8_000

/**
 * The words that were heard since the turn before these turns, each as a turn of its own, oldest first. Of many, the newest;
 * `left` counts the others. Words heard before the memory was switched are left out.
 */
export async function heardBefore(
  turns: readonly TurnWords[],
  { payload }: Job,
  context: JobContext,
): Promise<{ readonly heard: readonly TurnWords[]; readonly left: number }> {
  const { untilMs, sinceMs, turn } = payload
  const own = new Set(turns.map(({ turnId }) => turnId))
  const find = async (limit: number): Promise<readonly HistoryMessage[]> =>
    (await context.messages({ beforeMs: momentBehind(untilMs), limit })).filter(({ turnId }) => !own.has(turnId))
  // Most turns have nothing heard before them, and a few messages show that.
  const near = await find(own.size * 2 + 3)
  if (!near.some(({ unanswered }) => unanswered)) return { heard: [], left: 0 }
  const found = await find(maxMessages)
  const before = found.findLastIndex(({ unanswered }) => unanswered !== true)
  // What was heard while the turn before was being stored stands in front of it.
  const lastMs = found[before]?.atMs ?? Number.NEGATIVE_INFINITY
  const onMs = typeof sinceMs === "number" ? sinceMs : Number.NEGATIVE_INFINITY
  const all = found.filter(
    ({ unanswered, role, text, atMs }, at) =>
      unanswered === true && role === "user" && text.trim() !== "" && atMs > onMs && (at > before || atMs > lastMs),
  )
  const heard: TurnWords[] = []
  let characters = 0
  for (const message of all.slice(-maxHeard).reverse()) {
    characters += message.text.length
    if (characters > maxHeardCharacters) break
    heard.unshift({ turnId: message.turnId, turn: numberOf(turn), untrusted: false, messages: [message] })
  }
  return { heard, left: all.length - heard.length }
}

/** The messages of turns for a background prompt, each line with its speaker and its own trust. With `dayOf`, also with its number, from 1, and its day. */
export function dialogueInjection(turns: readonly TurnWords[], dayOf?: (atMs: number) => string): Injection {
  const messages = turns.flatMap((turn) => turn.messages)
  return backgroundInjection(
    "dialogue",
    messages.map(({ role, speaker, text, atMs }, at): SlotEntry => {
      const trust = role === "user" ? "user" : "agent"
      const line = { speaker: { text: speaker.name, trust }, text: { text, trust } } as const
      return dayOf ? { id: as(String(at + 1)), at: as(dayOf(atMs)), ...line } : line
    }),
  )
}

/** Writes the day of a moment in a time zone, as `2026-03-04`. */
export function daysIn(timeZone = "UTC"): (atMs: number) => string {
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" })
  return (atMs) => day.format(atMs)
}

const as = (text: string): TrustedText => ({ text, trust: "author" })

/** The content for one slot of a background prompt. Texts in it carry their own trust; a bare string has the trust `memory`. */
export function backgroundInjection(key: string, content: SlotValue): Injection {
  const fit = { rank: 50, shrink: Array.isArray(content) ? "entries" : "headTail", minTokens: 1 } as const
  return { ...promptData(key, content, "memory"), fit }
}

/** {@link backgroundInjection} with a trust of its own, for content that stands in the prompt whole. */
export function promptData(key: string, content: SlotValue, trust: Trust): Injection {
  return { key, content, trust, priority: priority.default, role: "system", scope: "turn", enabled: true }
}
