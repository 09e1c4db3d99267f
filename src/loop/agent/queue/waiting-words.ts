import type { HistoryMessage } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { whatHappened, within } from "../../../core/timers.ts"
import type { SessionRecord } from "../../../memory/services/store/session-store.ts"
import { waitingIdOf } from "../../turn/calls/turn-journal.ts"
import type { AgentContext, TurnInput } from "../../turn/turn-context.ts"
import { wordsOf } from "../failed/failed-turn.ts"
import { readInput } from "./read-input.ts"
import { emptyRecord, maxMessages, type QueuedTurn } from "./turn-states.ts"

/** The user's message of a turn whose words are answered later or with others. */
export function wordsToAnswer(input: TurnInput, atMs: number): readonly HistoryMessage[] {
  return wordsOf(input, atMs).map(({ interrupted: _, ...message }) => ({ ...message, toAnswer: true }))
}

/**
 * Appends words that are answered later or with others, with their files. Returns the error of those that may be missing in the
 * conversation. `whose` says what their message does.
 */
export async function keepToAnswer(
  { store, blobs, ports, profile }: AgentContext,
  { key, bytes }: TurnInput,
  words: readonly HistoryMessage[],
  whose: string,
): Promise<PromptStrataError | undefined> {
  const timeoutMs = profile.limits.toolMs
  const outcome = await within({ timeoutMs, timers: ports.timers }, async () => {
    for (const each of bytes?.values() ?? []) await blobs.put(each, key)
    if (words.length > 0) await store.append(key, words)
  })
  if (outcome.status === "done") return undefined
  const message = `Keeping the words of a message that ${whose} ${whatHappened(outcome, timeoutMs)}. They may be missing in the conversation.`
  return new PromptStrataError("session-store", message, {
    cause: outcome.status === "failed" ? outcome.error : undefined,
    hint: "Look into the session before you pass them again.",
  })
}

/**
 * Keeps the words of a turn that has to wait in the history, so that neither a crash nor an abort loses them. Throws if they cannot be
 * kept: nobody knows then if they are in the history.
 */
export async function keepWaiting(turn: QueuedTurn, given: TurnInput, signal: AbortSignal): Promise<void> {
  const { agent } = turn.session
  const { ports, profile } = agent
  if (!profile.history.keepFailed) return
  const input = given.attached.length === 0 ? given : await readInput(agent, given, { signal })
  signal.throwIfAborted()
  const turnId = input.journal ? waitingIdOf(input.journal) : ports.ids.next("heard")
  const words = wordsToAnswer({ ...input, turnId }, ports.clock.nowMs())
  turn.input = { ...input, kept: { turnId } }
  const error = await keepToAnswer(agent, input, words, "waits for an approval")
  if (error) throw error
}

/**
 * The beginning of a turn behind words that nobody has answered although an answer was to come: they are answered with its own. Words of
 * its own that are kept already leave the history before it, and so do those that another turn of this process is to answer. Throws `aborted` if these were answered or set aside meanwhile.
 */
export function withUnanswered(turn: QueuedTurn, record: SessionRecord = emptyRecord): SessionRecord {
  const { input } = turn
  const answerOf = new Map<string, string>()
  for (const { turnId, answers = [] } of record.history) for (const id of answers) answerOf.set(id, turnId)
  if (input.kept) requireUnanswered(record, input.kept.turnId, answerOf)
  // Of this turn and of those of this process that are still to begin.
  const away = new Set([...turn.session.open].flatMap(({ input }) => input.kept?.turnId ?? []))
  const history = away.size > 0 ? record.history.filter(({ turnId }) => !away.has(turnId)) : record.history
  const left = history.filter(({ toAnswer, turnId }) => toAnswer === true && !answerOf.has(turnId)).slice(-maxMessages)
  const shown = history === record.history ? record : { ...record, history }
  const [oldest] = left
  if (oldest === undefined) return shown
  const words = [...left.map(({ text }) => text), input.text].filter((text) => text.trim() !== "").join("\n")
  const turns = [...new Set(left.map(({ turnId }) => turnId))]
  const back = history.length - history.indexOf(oldest)
  turn.input = { ...input, merged: { turns, words, back, waited: input.merged?.waited } }
  return shown
}

function requireUnanswered({ history }: SessionRecord, id: string, answerOf: ReadonlyMap<string, string>): void {
  const answeredBy = answerOf.get(id)
  if (answeredBy === undefined && history.some(({ turnId }) => turnId === id)) return
  const what = answeredBy === undefined ? "set aside" : `answered by turn ${JSON.stringify(answeredBy)}`
  throw new PromptStrataError("aborted", `The words of the turn were ${what} while they waited.`, {
    hint: "Nothing is missing: `history` shows the conversation.",
    evidence: answeredBy === undefined ? {} : { interruptedBy: answeredBy },
  })
}
