import { type HistoryMessage, isSpoken } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { whatHappened, within } from "../../../core/timers.ts"
import { defined, filled } from "../../../core/value.ts"
import type { TurnTrace } from "../../../trace/trace.ts"
import type { TurnFailure } from "../../../trace/turn-event.ts"
import type { AgentContext, TurnContext, TurnInput } from "../../turn/turn-context.ts"
import { turnReceipt } from "../spending/spending.ts"
import { namedBytes } from "../turn-commit.ts"

/**
 * Keeps the user's words of a turn that failed, and what was shown of its answer, in the session (T20). Nothing is kept if the whole
 * turn is stored, or may be, or if the turn was to replace another, which then stays. `isLate`: its commit was tried. Never rejects.
 */
export async function keepFailedTurn(
  { agent, input, progress, startedMs }: TurnContext,
  { error, gathered }: TurnFailure,
  isLate: boolean,
): Promise<void> {
  const { turnId, wake } = input
  // Asked again tomorrow, it would stand there twice.
  if (error.code === "spending-limit" && progress.log.steps.length === 0) return
  if (input.replaces !== undefined || ("commit" in error.evidence && error.evidence.commit === "unknown")) return
  const speaker = { id: input.key.agent, name: agent.profile.agent.name }
  const answer: HistoryMessage = defined({
    ...{ role: "assistant", text: progress.answer.kept, speaker, turnId, atMs: agent.ports.clock.nowMs() },
    ...{ interrupted: true, unanswered: true, unprompted: wake !== undefined || undefined },
    attachments: filled(progress.files.made),
  })
  // A picture that the provider refused would make every later turn fail too, so it is only named from then on.
  const isRefused = error.code === "model" && error.evidence.kind === "bad-request"
  const attachments = isRefused ? input.attachments.map(({ name }) => ({ name })) : input.attachments
  // The words of a turn that went on after an approval are in the history already.
  const words = input.resumes ? [] : wordsOf({ ...input, attachments }, startedMs)
  const messages = gathered.text.trim() === "" && !answer.attachments ? words : [...words, answer]
  await keep(agent, input, { messages, isLate, made: progress.files.madeBytes })
}

/** Keeps what a turn used that leaves no answer, as a receipt of the kind `turn` (T55). A failure is reported. */
export async function keepSpending(turn: TurnContext, trace: TurnTrace): Promise<void> {
  const { agent, input } = turn
  const { key, turnId } = input
  const receipt = turnReceipt(turn, trace)
  if (receipt === undefined) return
  const timeoutMs = Math.min(keepMs, agent.profile.limits.toolMs)
  const outcome = await within({ timeoutMs, timers: agent.ports.timers }, () => agent.receipts.put(receipt))
  if (outcome.status === "done") return
  agent.onWarning({
    key,
    turnId,
    message: `Keeping the cost of the turn ${whatHappened(outcome, timeoutMs)}. It is not counted.`,
  })
}

/** Errors of turns that were refused: their caller made a mistake. */
const refusals = ["usage", "file", "file-size", "file-missing"]

/** Keeps the words of a turn that ended before its loop began, without attachments: these are not read then. Never rejects. */
export async function keepWords(agent: AgentContext, input: TurnInput, thrown: unknown): Promise<void> {
  const isRefused = PromptStrataError.isInstance(thrown) && refusals.includes(thrown.code)
  if (isRefused || input.kept || !agent.profile.history.keepFailed) return
  const { key, turnId, attached } = input
  await keep(agent, input, { messages: wordsOf(input, agent.ports.clock.nowMs()), isLate: false, made: new Map() })
  if (attached.length > 0)
    agent.onWarning({ key, turnId, message: "The turn ended before its attachments were read: they are not kept." })
}

/** The user's message; none in a turn in which nobody spoke, or whose words are kept already. */
export function wordsOf(
  { turnId, speaker, text, wake, kept, attachments, replyTo, mentions = [] }: TurnInput,
  atMs: number,
): readonly HistoryMessage[] {
  if (wake !== undefined || kept || !isSpoken({ text, attachments })) return []
  const said = { role: "user", text, speaker, turnId, atMs, interrupted: true, unanswered: true } as const
  return [{ ...said, ...defined({ attachments: filled(attachments), replyTo, mentions: filled(mentions) }) }]
}

interface KeptPart {
  readonly messages: readonly HistoryMessage[]
  /** By id, bytes that came up in the turn. Those that the messages name are kept. */
  readonly made: ReadonlyMap<string, Uint8Array>
  readonly isLate: boolean
}

/** A failed turn ends this long after its failure at most, also over a store that is locked. The store goes on with what it was given. */
const keepMs = 2_000

/** Appends messages within {@link keepMs} and `limits.toolMs`. A failure is reported. */
async function keep(
  { store, blobs, ports, profile, onWarning }: AgentContext,
  { key, turnId, bytes }: TurnInput,
  { messages, isLate, made }: KeptPart,
): Promise<void> {
  if (messages.length === 0) return
  const timeoutMs = Math.min(keepMs, profile.limits.toolMs)
  const outcome = await within({ timeoutMs, timers: ports.timers }, async () => {
    // A database can write a commit and still answer with an error, such as that of a lost connection.
    const isStored = isLate && (await store.load(key))?.history.some((message) => message.turnId === turnId) === true
    if (isStored) return onWarning({ key, turnId, message: "The turn is stored, although its commit failed." })
    for (const each of bytes?.values() ?? []) await blobs.put(each, key)
    for (const each of namedBytes(made, messages)) await blobs.put(each, key)
    await store.append(key, messages)
  })
  if (outcome.status === "done") return
  const message = `Keeping the words of an unanswered turn ${whatHappened(outcome, timeoutMs)}. They may be missing in the conversation.`
  onWarning({ key, turnId, message })
}
