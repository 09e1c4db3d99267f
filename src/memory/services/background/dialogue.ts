import { type HistoryMessage, type ServiceKey, toldApart } from "../../../core/conversation.ts"
import { type Injection, priority, type SlotEntry, type SlotValue, type Trust, type TrustedText } from "../../../core/value.ts"
import { messageTime } from "../../../prompt/layers/history-entries.ts"
import { shorten } from "../shorten-by-rule.ts"
import type { Job } from "../store/job-runner.ts"
import type { Receipt } from "../store/receipt.ts"
import type { ReceiptRecords } from "../store/records.ts"
import type { CommittedTurn, JobContext } from "./background-job.ts"

/** The messages of a turn, as background work sees them. */
export interface TurnWords extends Pick<CommittedTurn, "turnId" | "turn" | "untrusted" | "messages"> {
  /** True if an earlier answer about these words could not be read. */
  readonly isCarried?: boolean
  /** When the memory had been switched last before these words; undefined if it never was. */
  readonly sinceMs?: unknown
}

/** The most messages that are searched for a turn whose job does not say how many it has. */
export const maxMessages = 400

/** The number of a turn, as a payload or a receipt says it; without one, the first. */
export const numberOf = (turn: unknown): number => (typeof turn === "number" ? turn : 0)

/** The first moment behind the time of a job's last message; undefined if its payload does not say that. */
export const momentBehind = (untilMs: unknown): number | undefined => (typeof untilMs === "number" ? untilMs + 1 : undefined)

/** The messages of the job's turn, only those of the user and the agent (T35); undefined if they were forgotten. */
export async function wordsOfTurn(
  { turnId, payload }: Pick<Job, "turnId" | "payload">,
  context: JobContext,
): Promise<TurnWords | undefined> {
  const { turn, untrusted, count, fromMs, untilMs, sinceMs } = payload
  const times = typeof fromMs === "number" && typeof untilMs === "number" ? { fromMs, beforeMs: untilMs + 1 } : {}
  const find = async (limit: number): Promise<readonly HistoryMessage[]> =>
    messagesOf(turnId, await context.messages({ ...times, limit }))
  // A small limit lets the store stop early. Other messages of the same moment may fill it, so a second search may be needed.
  let found = typeof count === "number" ? await find(count) : []
  if (typeof count !== "number" || found.length < count) found = await find(maxMessages)
  const messages = found.filter(({ text }) => text.trim() !== "")
  if (messages.length === 0) return undefined
  return { turnId, turn: numberOf(turn), untrusted: untrusted === true, messages, sinceMs }
}

/** The messages of a turn among those found, and the words that it answers where a call of theirs waited for a person. */
function messagesOf(id: string, found: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const asked = found.flatMap(({ turnId, answers = [] }) => (turnId === id ? answers : []))
  return found.filter(({ turnId, unanswered }) => turnId === id || (unanswered !== true && asked.includes(turnId)))
}

/** The receipts of some turns of a conversation, read at once where the store can. */
export async function receiptsOfTurns(
  ids: readonly string[],
  { receipts, key }: { readonly receipts: ReceiptRecords; readonly key: ServiceKey },
): Promise<readonly Receipt[]> {
  if (receipts.ofTurns) return receipts.ofTurns(ids, key)
  return (await Promise.all(ids.map((id) => receipts.ofTurn(id, key)))).flat()
}

/** True if the next turn that was answered in the conversation is of the same user: its job judges this one's turn too. */
export async function isFollowed({ turnId, key }: Job, context: JobContext): Promise<boolean> {
  for (let limit = 3; ; limit *= 4) {
    const found = await context.messages({ limit })
    const at = found.findLastIndex((message) => message.turnId === turnId)
    if (at < 0 && found.length === limit) continue
    // A turn of blank words leaves no job.
    const next = found.slice(at + 1).find(({ unanswered, text }) => unanswered !== true && text.trim() !== "")
    const ofNext = found.filter(({ turnId }) => turnId === next?.turnId)
    // The words of a call that waits have no answer yet.
    return at >= 0 && ofNext.some(({ speaker }) => speaker.id === key.user) && ofNext.some(({ role }) => role === "assistant")
  }
}

/** A context that does not read again the newest messages of which it read as many. Steps that write must not rely on it. */
export function lookingBack(context: JobContext): JobContext {
  const read = new Map<number | undefined, { readonly limit: number; readonly messages: readonly HistoryMessage[] }>()
  return {
    ...context,
    async messages(filter) {
      const { beforeMs, limit = maxMessages, speaker } = filter
      const known = speaker === undefined ? read.get(beforeMs) : undefined
      if (known !== undefined && known.limit >= limit) return known.messages.slice(-limit)
      const messages = await context.messages(filter)
      if (filter.fromMs === undefined && speaker === undefined) read.set(beforeMs, { limit, messages })
      return messages
    },
  }
}

/** The most words heard between two turns that are remembered, and their most UTF-16 units. */
const maxHeard = 50
const maxHeardCharacters = 8_000

/**
 * The words that were heard before these turns, since the turn before each, each as a turn of its own, oldest first. Of many, the newest;
 * `left` counts the others. Words heard before the memory was switched are left out.
 */
export async function heardBefore(
  turns: readonly TurnWords[],
  { payload }: Job,
  context: JobContext,
): Promise<{ readonly heard: readonly TurnWords[]; readonly left: number }> {
  const { untilMs, sinceMs, turn } = payload
  const own = new Set(turns.flatMap(({ turnId, messages }) => [turnId, ...messages.map((each) => each.turnId)]))
  const find = (limit: number) => context.messages({ beforeMs: momentBehind(untilMs), limit })
  // Most turns have nothing heard before them, and a few messages show that.
  const near = await find(turns.some(({ isCarried }) => isCarried) ? maxMessages : own.size * 2 + 3)
  if (!near.some(({ unanswered }) => unanswered)) return { heard: [], left: 0 }
  const found = await find(maxMessages)
  const isAnswered = ({ unanswered }: HistoryMessage) => unanswered !== true
  const before = found.findLastIndex((message) => isAnswered(message) && !own.has(message.turnId))
  // What was heard while the turn before was being stored stands in front of it.
  const lastMs = found[before]?.atMs ?? Number.NEGATIVE_INFINITY
  const onMs = typeof sinceMs === "number" ? sinceMs : Number.NEGATIVE_INFINITY
  // Words belong to the turn that answers them, or else to the next answered one, which may be judged later than one behind it.
  const isOwn = ({ turnId, toAnswer, atMs }: HistoryMessage, at: number) =>
    toAnswer
      ? found.some((each) => own.has(each.turnId) && each.answers?.includes(turnId))
      : at > before || atMs > lastMs || own.has(found.slice(at).find(isAnswered)?.turnId ?? "")
  const isHeard = (each: HistoryMessage) => !isAnswered(each) && each.role === "user" && each.text.trim() !== ""
  const all = found.filter((each, at) => isHeard(each) && each.atMs > onMs && isOwn(each, at))
  const heard: TurnWords[] = []
  let characters = 0
  for (const message of all.slice(-maxHeard).reverse()) {
    characters += message.text.length
    if (characters > maxHeardCharacters) break
    heard.unshift({ turnId: message.turnId, turn: numberOf(turn), untrusted: false, messages: [message] })
  }
  return { heard, left: all.length - heard.length }
}

/** The most UTF-16 units of a line of the agent that a background prompt shows. It says less of the user than their own lines, and is longer. */
const maxAgentCharacters = { alone: 300, inBatch: 100 }

/**
 * The messages of turns for a background prompt, each line with its speaker and its own trust; the agent's are shortened. With `dayOf`,
 * also with its number, from 1, and with its day where that is another than of the line before.
 */
export function dialogueInjection(turns: readonly TurnWords[], dayOf?: (atMs: number) => string): Injection {
  const messages = toldApart(turns.flatMap((turn) => turn.messages))
  const days = messages.map(({ atMs }) => dayOf?.(atMs))
  const most = turns.length > 1 ? maxAgentCharacters.inBatch : maxAgentCharacters.alone
  return backgroundInjection(
    "dialogue",
    messages.map(({ role, speaker, text }, at): SlotEntry => {
      const trust = role === "user" ? "user" : "agent"
      const shown = role === "user" ? text : shorten(text, most)
      const line = { speaker: { text: speaker.name, trust }, text: { text: shown, trust } } as const
      const day = days[at]
      if (day === undefined) return line
      return { id: as(String(at + 1)), ...line, ...(day !== days[at - 1] && { at: as(day) }) }
    }),
  )
}

/** Writes the day of a moment in a time zone, as `2026-03-04`. */
export function daysIn(timeZone = "UTC"): (atMs: number) => string {
  return (atMs) => messageTime(atMs, timeZone).replace(/(..)(..) .*/, "-$1-$2")
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
