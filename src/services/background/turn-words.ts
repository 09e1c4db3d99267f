import type { HistoryMessage } from "../../core/history.ts"
import type { Entry, Injection } from "../../core/value.ts"
import type { CommittedTurn, JobContext } from "../background-job.ts"
import type { Job } from "../job-runner.ts"
import type { ReceiptRecords } from "../store.ts"
import { backgroundInjection } from "./background-injection.ts"

/** One turn's words, as background work sees them. */
export interface TurnWords {
  readonly turnId: string
  readonly turn: number
  readonly untrusted: boolean
  readonly messages: readonly HistoryMessage[]
}

/** Longer than any speech, shorter than a book that was pasted. */
const maxMessages = 400

/** What a job must know of its turn; the words stay in the conversation, so that what is forgotten there is nowhere else. */
export function turnPayload({ turn, untrusted, messages }: CommittedTurn): Readonly<Record<string, unknown>> | undefined {
  if (messages.every(({ text }) => text.trim() === "")) return undefined
  const times = messages.map(({ atMs }) => atMs)
  return { turn, untrusted, count: messages.length, fromMs: Math.min(...times), untilMs: Math.max(...times) }
}

/** The words of the job's turn, of the roles user and agent alone (T35); undefined where they are gone. */
export async function wordsOfTurn({ turnId, payload }: Job, context: JobContext): Promise<TurnWords | undefined> {
  const { turn, untrusted, count, fromMs, untilMs } = payload
  const times = typeof fromMs === "number" && typeof untilMs === "number" ? { fromMs, beforeMs: untilMs + 1 } : {}
  const find = async (limit: number): Promise<readonly HistoryMessage[]> =>
    (await context.messages({ ...times, limit })).filter((message) => message.turnId === turnId)
  // A store that has found enough looks no further back; messages of the same moment may stand before them.
  let found = typeof count === "number" ? await find(count) : []
  if (typeof count !== "number" || found.length < count) found = await find(maxMessages)
  const messages = found.filter(({ text }) => text.trim() !== "")
  if (messages.length === 0) return undefined
  return { turnId, turn: typeof turn === "number" ? turn : 0, untrusted: untrusted === true, messages }
}

/** The turns before this one that wait to be judged together with it, oldest first. */
export async function waitingTurns(
  { key, turnId, payload }: Job,
  {
    context,
    receipts,
    batchTurns,
  }: { readonly context: JobContext; readonly receipts: ReceiptRecords; readonly batchTurns: number },
): Promise<readonly TurnWords[]> {
  const { untilMs } = payload
  const before = typeof untilMs === "number" ? { beforeMs: untilMs + 1 } : {}
  const found = await context.messages({ ...before, limit: Math.min(maxMessages, batchTurns * 4) })
  const ids = [...new Set(found.map((message) => message.turnId))].filter((id) => id !== turnId).slice(1 - batchTurns)
  const turns: TurnWords[] = []
  for (const id of ids) {
    const waiting = (await receipts.ofTurn(id, key)).find(({ kind }) => kind === "batch")?.value
    if (waiting === undefined) continue
    const messages = found.filter((message) => message.turnId === id && message.text.trim() !== "")
    const turn = typeof waiting.turn === "number" ? waiting.turn : 0
    turns.push({ turnId: id, turn, untrusted: waiting.untrusted === true, messages })
  }
  return turns
}

/** What was said, each line with its speaker and its own trust, for a background prompt. */
export function dialogueInjection(turns: readonly TurnWords[]): Injection {
  return backgroundInjection(
    "dialogue",
    turns.flatMap(({ messages }) => messages.map(lineOf)),
  )
}

function lineOf({ role, speaker, text }: HistoryMessage): Entry {
  const trust = role === "user" ? "user" : "agent"
  return { speaker: { text: speaker.name, trust }, text: { text, trust } }
}
