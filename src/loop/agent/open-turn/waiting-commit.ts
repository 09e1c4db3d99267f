import { type HistoryMessage, isSpoken } from "../../../core/conversation.ts"
import { orAborted } from "../../../core/timers.ts"
import { defined } from "../../../core/value.ts"
import type { SessionCommit } from "../../../memory/services/store/session-store.ts"
import { type OpenTurn, withOpenTurn, withoutOpenTurn } from "../../turn/open-turn/open-turn.ts"
import type { TurnContext } from "../../turn/turn-context.ts"
import { hasForgotten } from "../turn-commit.ts"

/**
 * The commit of a turn that waits for an approval, or that went on after one. Its words and what was said so far enter the history when
 * it first waits; nothing is drawn from them and no hook's state is kept before it has its answer, or another message withdraws it.
 */
export async function waitingCommit(turn: TurnContext, plain: SessionCommit): Promise<SessionCommit> {
  const { input, record, progress } = turn
  const { resumes, replaces } = input
  const expectVersion = resumes?.version() ?? plain.expectVersion
  const append = await behindHeard(turn, newMessages(turn, plain.append))
  if (!progress.open.step) return { ...plain, expectVersion, append }
  const { taken: _, ...rest } = plain
  return {
    ...rest,
    expectVersion,
    append: append.filter((message) => message.role === "user" || isSpoken(message)),
    state: {
      ...withOpenTurn(withoutOpenTurn(record?.state ?? {}), openTurnOf(turn)),
      stack: plain.state.stack,
      ...defined({ markerId: plain.state.markerId }),
    },
    jobs: input.withdrawn ?? [],
    ...defined({ taken: replaces?.taken }),
  }
}

/** The messages that the history does not have yet. Of a turn that goes on it has the user's, with the runs so far. */
function newMessages({ input: { resumes } }: TurnContext, append: readonly HistoryMessage[]): readonly HistoryMessage[] {
  if (resumes === undefined) return append
  const runs = append.flatMap((message) => message.runs ?? []).filter(({ id }) => !resumes.kept.has(id))
  return append.flatMap(({ runs: _, ...message }) => {
    if (message.role === "user") return []
    return [runs.length > 0 ? { ...message, runs } : message]
  })
}

/**
 * The messages of a turn that went on, as a turn of their own that replies to its words if others were heard since: a turn cannot grow
 * behind these, and two messages would have one id.
 */
async function behindHeard(
  { agent, input, signal }: TurnContext,
  append: readonly HistoryMessage[],
): Promise<readonly HistoryMessage[]> {
  const { resumes, key, turnId, wake, speaker } = input
  if (resumes === undefined || append.length === 0) return append
  const { turnId: asked } = resumes.open
  let own = turnId
  if (own === asked) {
    const record = await orAborted(agent.store.load(key, { last: 1 }), signal)
    if (record?.history.at(-1)?.turnId === asked) return append
    own = agent.ports.ids.next("turn")
  }
  const reply = wake === undefined ? { answers: [asked], replyTo: { id: `${asked}:0`, speaker } } : {}
  return append.map((message) => ({ ...message, turnId: own, ...reply }))
}

function openTurnOf(turn: TurnContext): Partial<OpenTurn> {
  const { agent, input, progress } = turn
  const { resumes, kept, turnId, speaker, wake, wakeTrust } = input
  const { open, found, runs, steps, answer } = progress
  const limit = input.control?.answerLimit ?? resumes?.open.answerLimit
  const leftOf = (maxTokens: number) => Math.max(0, maxTokens - agent.ports.counter.count(answer.said))
  const answerLimit = limit?.maxTokens ? { ...limit, maxTokens: leftOf(limit.maxTokens) } : limit
  return {
    turnId: resumes?.open.turnId ?? kept?.turnId ?? turnId,
    ...defined({ speaker, wake, wakeTrust, step: open.step, forgot: hasForgotten(turn) || undefined, answerLimit }),
    inject: [...new Map([...input.stack.items("turn"), ...input.inject].map((item) => [item.key, item])).values()],
    ...{ prestart: found.prestart, runs, steps, calls: open.calls },
  }
}
