import type { HistoryMessage, KeptRun } from "../../core/conversation.ts"
import type { SessionCommit } from "../../services/store/session-store.ts"
import { approvalKey } from "../../services/store/waiting-turn.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import { type OpenTurn, withoutOpenTurn } from "../../turn/approval/open-approval.ts"
import type { TurnContext } from "../../turn/turn-context.ts"

/**
 * The commit of a turn that waits for an approval, or that went on after one. Its words and what was said so far enter the history when
 * it first waits; nothing is drawn from them and no hook's state is kept before it has its answer.
 */
export function waitingCommit(
  turn: TurnContext,
  result: TurnResult & { readonly ok: true },
  plain: SessionCommit,
): SessionCommit {
  const { input, record } = turn
  const { resumes, replaces } = input
  const expectVersion = resumes?.version() ?? plain.expectVersion
  const append = newMessages(turn, plain.append)
  if (result.stopReason !== "awaiting-approval") return { ...plain, expectVersion, append }
  const { taken: _, ...rest } = plain
  return {
    ...rest,
    expectVersion,
    append: append.filter(({ role, text }) => role === "user" || text.trim() !== ""),
    state: {
      ...withoutOpenTurn(record?.state ?? {}),
      stack: plain.state.stack,
      ...(plain.state.markerId === undefined ? {} : { markerId: plain.state.markerId }),
      [approvalKey]: JSON.parse(JSON.stringify(openTurnOf(turn))),
    },
    jobs: [],
    ...(replaces && replaces.taken.length > 0 ? { taken: replaces.taken } : {}),
  }
}

/** The messages that the history does not have yet. Of a turn that goes on it has the user's, with the runs so far. */
function newMessages({ input, progress }: TurnContext, append: readonly HistoryMessage[]): HistoryMessage[] {
  const { resumes } = input
  if (resumes === undefined) return append.map((message) => withStepRuns(message, progress.unfinished, progress.steps.length))
  const known = new Set([...resumes.open.runs, ...resumes.open.step.runs].map((run) => run?.id))
  const runs: KeptRun[] = append.flatMap((message) => message.runs ?? []).filter(({ id }) => !known.has(id))
  return append.flatMap(({ runs: _, ...message }) => {
    if (message.role === "user") return []
    return [runs.length > 0 ? { ...message, runs } : message]
  })
}

/** The user's message with the runs of the step that waits, if it keeps native runs at all. */
function withStepRuns(message: HistoryMessage, step: OpenTurn["step"] | undefined, at: number): HistoryMessage {
  const { runs = [] } = message
  if (message.role !== "user" || step === undefined || runs.length === 0) return message
  const ended = step.runs.flatMap((run) => {
    if (run === null) return []
    const { id, tool, args, result, status } = run
    return [{ id, step: at, tool, args, result, ...(status === "failed" ? { failed: true as const } : {}) }]
  })
  return { ...message, runs: [...runs, ...ended] }
}

function openTurnOf({ input, progress }: TurnContext): Partial<OpenTurn> {
  const { resumes, kept, turnId, speaker, wake, wakeTrust } = input
  const items = [...input.stack.items("turn"), ...input.inject]
  return {
    turnId: resumes?.open.turnId ?? kept?.turnId ?? turnId,
    speaker,
    ...(wake === undefined ? {} : { wake }),
    ...(wakeTrust === undefined ? {} : { wakeTrust }),
    inject: [...new Map(items.map((item) => [item.key, item])).values()],
    prestart: progress.prestart,
    runs: progress.runs,
    steps: progress.steps,
    ...(progress.unfinished && { step: progress.unfinished }),
    calls: progress.waiting,
  }
}
