import { operatorAnswerJob } from "../../../loop/agent/approval/operator-answer.ts"
import { contextOf, partsOf } from "../../../loop/agent/published-agents.ts"
import { type Reminder, remindersOf } from "../../../loop/agent/second-thoughts/chat-commands.ts"
import { readReply } from "../approvals/approval-answers.ts"
import { HttpProblem } from "../http-problem.ts"
import { readJsonBody } from "../read-body.ts"
import { localeOf, type WaitingCall, waitingCalls } from "./chat-routes.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route } from "./route.ts"
import { storedConversation } from "./stored-routes.ts"

/** The routes of calls that wait in conversations of other processes (N30). */
export const waitingRoutes: readonly Route[] = [
  { method: "GET", path: /^api\/conversations\/(\w+)\/approvals$/u, answer: waiting },
  { method: "POST", path: /^api\/conversations\/(\w+)\/approvals\/(\w+)$/u, answer: answerWaiting },
]

/** Calls that wait in a conversation, and the reminders of those who spoke. */
export interface WaitingCalls {
  readonly reminders: readonly Reminder[]
  readonly approvals: readonly WaitingCall[]
  /** True if the page may answer them, because a bot takes its answer. */
  readonly mayAnswer: boolean
}

/** `?locale=` is the language of the page. */
async function waiting(state: InspectorState, call: Call): Promise<Response> {
  return jsonWithoutSecrets(state, (await waitingIn(state, call)).calls)
}

async function waitingIn(state: InspectorState, { request, caught: [id] }: Call) {
  const { key, messages } = await storedConversation(state, id)
  const { conversation, audience } = key
  const locale = await localeOf(state, new URL(request.url).searchParams.get("locale"))
  const session = state.agent.session({ conversation, audience })
  const approvals = await waitingCalls(state, session, locale)
  const mayAnswer = state.chat !== undefined && messages.some(({ turnId }) => turnId?.startsWith("message:"))
  const people = new Map(messages.flatMap(({ role, speaker }) => (role === "user" ? [[speaker.id, speaker]] : [])))
  const reminders = (await Promise.all([...people.values()].map((one) => remindersOf(session, one, locale)))).flat()
  return { key, calls: { approvals, mayAnswer, reminders } satisfies WaitingCalls }
}

/** `{ approved, reason? }`: an operator's answer. The bot of the conversation takes it up as if it was given there. */
async function answerWaiting(state: InspectorState, call: Call): Promise<Response> {
  const { key, calls } = await waitingIn(state, call)
  const [, code = ""] = call.caught
  const asked = calls.approvals.find((one) => one.code === code)
  if (!calls.mayAnswer) throw new HttpProblem(403, "This can only be answered where it was asked.")
  const { approved, reason } = readReply(code, await readJsonBody(call.request, state.maxBodyBytes), "approved")
  const { ports } = await contextOf(state.agent)
  if (!asked || asked.isOver) throw new HttpProblem(409, "Nothing waits under this code any more.")
  const isNew = await partsOf(state.agent).store.wakes.put(
    operatorAnswerJob(key, { asked, approved, reason }, ports.clock.nowMs()),
  )
  if (!isNew) throw new HttpProblem(409, "This was answered already. The bot takes the answer once it runs.")
  return Response.json({ code })
}
