import { isRecord } from "../../../core/json-access.ts"
import type { Agent } from "../../../loop/agent/agent.ts"
import { contextOf } from "../../../loop/agent/published-agents.ts"
import {
  commandList,
  lastTurnIn,
  type Reminder,
  remindersOf,
  runCommand,
} from "../../../loop/agent/second-thoughts/chat-commands.ts"
import { greetingOf } from "../../../loop/agent/second-thoughts/greetings.ts"
import { Session } from "../../../loop/agent/session.ts"
import type { AgentContext } from "../../../loop/turn/turn-context.ts"
import { type ApprovalQuestion, approvalQuestion } from "../../../trace/approval-question.ts"
import { errorWords } from "../../../trace/error-words.ts"
import { badRequest, HttpProblem } from "../http-problem.ts"
import { readJsonBody } from "../read-body.ts"
import { answerAll, readReply } from "../waiting-calls.ts"
import { type Call, type InspectorState, infoOf, jsonWithoutSecrets, type Route } from "./route.ts"

/** The routes of the page's chat (N15). */
export const chatRoutes: readonly Route[] = [
  { method: "GET", path: /^api\/chat$/u, answer: facts },
  { method: "POST", path: /^api\/chat$/u, answer: say },
  { method: "POST", path: /^api\/chat\/approvals\/(\w+)$/u, answer: answerApproval },
]

/** The state of the page's conversation, beside its turns. */
export interface ChatFacts {
  /** The commands of every chat, for a list. */
  readonly commands: ReturnType<typeof commandList>
  readonly last: ReturnType<typeof lastTurnIn>
  /** The greeting of a conversation in which nothing else was said, its number and how many there are. */
  readonly greeting?: { readonly text: string; readonly number: number; readonly count: number } | undefined
  /** The calls that wait for a person. One that is over can no longer be answered. */
  readonly approvals: readonly WaitingCall[]
  /** The user's reminders that wait to ring. */
  readonly reminders: readonly Reminder[]
}

/** A call that waits for a person. */
export type WaitingCall = ApprovalQuestion & { readonly isOver: boolean }

/** The calls of a conversation that wait for an answer. */
export async function waitingCalls({ agent }: InspectorState, session: Session, locale: string): Promise<readonly WaitingCall[]> {
  const nowMs = (await contextOf(agent)).ports.clock.nowMs()
  const waiting = (await session.approvals()).filter(({ answer }) => answer === undefined)
  return waiting.map((one) => ({ ...approvalQuestion(one, locale), isOver: nowMs > one.untilMs }))
}

/** `?locale=` is the language of the page. */
async function facts(state: InspectorState, { request }: Call): Promise<Response> {
  const { session, user } = await openChat(state)
  const locale = await localeOf(state, new URL(request.url).searchParams.get("locale"))
  const approvals = await waitingCalls(state, session, locale)
  const from = { id: user }
  const [history, greetings] = [await session.history(), session.greetings({ from })]
  // A page that is only looked at keeps nothing: the greeting is said with the first words.
  const first = history.length === 0 ? greetingOf(await contextOf(state.agent), session.key, { from }) : history[0]?.text
  const number = history.length < 2 ? greetings.indexOf(first ?? "") + 1 : 0
  const greeting = number > 0 ? { text: greetings[number - 1] ?? "", number, count: greetings.length } : undefined
  const [commands, reminders] = [commandList(locale), await remindersOf(session, from, locale)]
  const facts: ChatFacts = { commands, last: lastTurnIn(history), greeting, approvals, reminders }
  return jsonWithoutSecrets(state, facts)
}

/** `{ text, files?, locale? }`: a message of the page's user, or a command. Answers with the turn's id at once, or with the words of the command. */
async function say(state: InspectorState, { request }: Call): Promise<Response> {
  const { session, user } = await openChat(state)
  const { text, files = [], locale: given } = await readJsonBody(request, state.maxBodyBytes)
  if (!areFiles(files)) throw badRequest("Expected files as { name, url }, with data: URLs.", "files")
  if (typeof text !== "string" || (text.trim() === "" && files.length === 0)) throw badRequest("Expected words.", "text")
  const [from, locale] = [{ id: user }, await localeOf(state, given)]
  if (!text.startsWith("/") || text.startsWith("/swipe")) await session.greet({ from })
  const outcome = files.length > 0 ? undefined : await runCommand(text, { session, from, locale, mayChange: true })
  if (outcome && "text" in outcome) return jsonWithoutSecrets(state, outcome)
  return Response.json({ turn: (outcome?.turn ?? session.send(text, { from, attachments: files })).id })
}

function areFiles(given: unknown): given is { readonly name: string; readonly url: string }[] {
  const isFile = (one: unknown) => isRecord(one) && typeof one.name === "string" && String(one.url).startsWith("data:")
  return Array.isArray(given) && given.every(isFile)
}

/** `{ approved, reason?, locale? }`: answers the call of a code. Responds once its turn has ended; 409 with words for a person if it failed. */
async function answerApproval(state: InspectorState, { request, caught: [code = ""] }: Call): Promise<Response> {
  const { session, user } = await openChat(state)
  const body = await readJsonBody(request, state.maxBodyBytes)
  const turn = await answerAll(session, [readReply(code, body, "approved")], { user })
  const result = await turn.result
  if (!result.ok) throw new HttpProblem(409, errorWords(result.error, await localeOf(state, body.locale)))
  return Response.json({ turn: turn.id })
}

export async function localeOf(state: InspectorState, given: unknown): Promise<string> {
  return typeof given === "string" ? given : (await infoOf(state)).locale
}

/** By version of an agent, which the inspector must not keep alive. */
const sessions = new WeakMap<AgentContext, Session>()
/** By agent, its first version. */
const first = new WeakMap<Agent, AgentContext>()

/** The user and the session of the page's chat. An edit of the profile counts from the next message on (L13), although the conversation has begun. */
async function openChat({ agent, chat }: InspectorState): Promise<{ readonly user: string; readonly session: Session }> {
  if (!chat) throw new HttpProblem(403, "Nobody may chat here: the inspector was made without `chat`.")
  const { user, conversation } = chat
  const context = await contextOf(agent)
  if (!first.has(agent)) first.set(agent, context)
  if (first.get(agent) === context) return { user, session: agent.session(conversation) }
  const key = { agent: context.profile.agent.id, conversation, audience: "private" } as const
  const session = sessions.get(context) ?? new Session(context, context, key)
  sessions.set(context, session)
  return { user, session }
}
