import { isRecord } from "../../core/json-access.ts"
import type { Session } from "../../loop/agent/session.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { type ApprovalQuestion, answerTyped, approvalQuestion, type TypedAnswer } from "../../trace/approval-question.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import type { Caller } from "./exchange.ts"
import { badRequest, HttpProblem } from "./http-problem.ts"

/** The person for whom a caller answers; undefined for an operator, who answers for everybody. */
export const answererOf = ({ user, operator }: Caller): string | undefined => (operator === true ? undefined : user)

/** Answers calls that wait, one after the other. Returns the turn of the last answer, or of the first one that failed. */
export async function answerAll(session: Session, replies: readonly TypedAnswer[], caller: Caller): Promise<Turn> {
  const by = answererOf(caller)
  return inOrder(replies, (reply) => answerTyped(session, reply, by))
}

/** Starts turns, each once the one before has ended. Returns the last one, or the first that failed. */
export async function inOrder<T>(each: readonly T[], start: (one: T) => Turn): Promise<Turn> {
  const [last, ...before] = each.toReversed()
  for (const one of before.toReversed()) {
    const turn = start(one)
    if (!(await turn.result).ok) return turn
  }
  if (last === undefined) throw badRequest("Expected an answer.", "approved")
  return start(last)
}

/** The questions of a turn that waits, as clients get them, with the links of a policy. */
export function questionsOf(result: TurnResult, locale: string, links?: readonly string[]): readonly ApprovalQuestion[] {
  return ((result.ok && result.approvals) || []).map((approval) => approvalQuestion(approval, locale, links))
}

/** Reads `{ approved, reason }` of an answer to a call of an id or code. Throws {@link HttpProblem}. */
export function readReply(code: string, given: unknown, param: string): TypedAnswer {
  const { approved, reason } = isRecord(given) ? given : { approved: given, reason: undefined }
  if (typeof approved !== "boolean") throw badRequest(`Expected { "approved": true } or { "approved": false }.`, param)
  return { code, approved, reason: typeof reason === "string" ? reason : "" }
}

/** The answers in a request of `useChat`: those of the last step of its last message. */
export function uiReplies({ messages }: Readonly<Record<string, unknown>>): readonly TypedAnswer[] {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  if (!isRecord(last) || last.role !== "assistant" || !Array.isArray(last.parts)) return []
  const parts = last.parts.filter(isRecord)
  const step = parts.slice(parts.findLastIndex(({ type }) => type === "step-start") + 1)
  return step.flatMap(({ state, approval }) =>
    state === "approval-responded" && isRecord(approval) ? [readReply(String(approval.id), approval, "messages")] : [],
  )
}

/** The answers in a run of AG-UI. A question that the person closed counts as refused. */
export function agUiReplies({ resume }: Readonly<Record<string, unknown>>): readonly TypedAnswer[] {
  return (Array.isArray(resume) ? resume : []).map((entry: unknown, at) => {
    const { interruptId, status, payload } = isRecord(entry) ? entry : {}
    if (typeof interruptId !== "string") throw badRequest("Expected the id of an interrupt.", `resume[${at}].interruptId`)
    if (status === "cancelled") return { code: interruptId, approved: false, reason: "" }
    return readReply(interruptId, payload, `resume[${at}].payload`)
  })
}

/** The session of a caller whose conversation is kept. Throws {@link HttpProblem}: in others no call waits. */
export function keptSession(agent: { session(conversation: string): Session }, { conversation }: Caller): Session {
  if (conversation !== undefined) return agent.session(conversation)
  throw new HttpProblem(
    400,
    "Name a conversation. Where none is kept, no call waits for an approval, and there is no memory to switch.",
    { param: "conversation" },
  )
}
