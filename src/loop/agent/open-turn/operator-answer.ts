import type { SessionKey } from "../../../core/conversation.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import { sessionRowId } from "../../../memory/services/store/rows/row-tables.ts"
import type { ApprovalQuestion } from "../../../trace/approval-question.ts"

interface OperatorAnswer {
  readonly asked: ApprovalQuestion
  readonly approved: boolean
  readonly reason?: string | undefined
}

/** The job by which an operator answers a call that waits in a conversation of a bot: a message of the person who was asked. */
export function operatorAnswerJob(at: SessionKey, { asked, approved, reason = "" }: OperatorAnswer, atMs: number): Job {
  const { code, choices, mayAnswer: from } = asked
  const id = `operator:${code}`
  const { say = "" } = choices.find((choice) => choice.approved === approved) ?? {}
  const job = { id: JSON.stringify([sessionRowId(at), id]), kind: "message", key: { ...at, user: from.id }, turnId: id }
  return { ...job, atMs, dueMs: atMs, payload: { byOperator: true, id, text: approved ? say : `${say} ${reason}`, from } }
}
