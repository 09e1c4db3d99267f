import type { Timers } from "../../../core/ports.ts"
import { contextOf, partsOf } from "../../../loop/agent/published-agents.ts"
import { type Reminder, remindersOf } from "../../../loop/agent/second-thoughts/chat-commands.ts"
import { sessionRowId } from "../../../memory/services/store/rows/row-tables.ts"
import { shippedDialectNames } from "../../../prompt/dialect/shipped.ts"
import { spriteResponse } from "../feelings.ts"
import { badRequest, HttpProblem } from "../http-problem.ts"
import { readJsonBody } from "../read-body.ts"
import { streamed } from "../serving.ts"
import { readReply } from "../waiting-calls.ts"
import { summaryOf } from "./build-record.ts"
import { chatRoutes, localeOf, type WaitingCall, waitingCalls } from "./chat-routes.ts"
import { compareAgentsRoute } from "./compare/compare-agents.ts"
import { compareRoute } from "./compare/compare-turns.ts"
import { documentsOf, type InspectedDocuments } from "./documents/documents.ts"
import { editRoutes } from "./edit/edit-routes.ts"
import type { Recorder } from "./recorder.ts"
import { fileAnswer, replayRoute } from "./replay/replay-route.ts"
import { type Call, type InspectorState, infoOf, jsonWithoutSecrets, loadPage, type Route } from "./route.ts"
import { storedConversation, storedRoutes } from "./stored-routes.ts"
import { timelineRoute } from "./timeline/timeline-route.ts"
import type { TurnSummary } from "./turn-record.ts"
import { growthRoute, turnRoutes } from "./turn-routes.ts"

/** The routes of the living documents. */
const documentRoutes: readonly Route[] = [
  { method: "GET", path: /^api\/documents$/u, answer: list },
  { method: "POST", path: /^api\/documents\/undo$/u, answer: undo },
]

async function list(state: InspectorState): Promise<Response> {
  return fileAnswer(async () => jsonWithoutSecrets(state, await documentsOf(folderOf(state))))
}

/**
 * `{ id, hash }`: takes back a change and all later ones of its file, if the file still has this hash; `null`: if there is still no file.
 * The folder does it, as one change that can be undone.
 */
async function undo(state: InspectorState, { request }: Call): Promise<Response> {
  const folder = folderOf(state)
  const { id, hash } = await readJsonBody(request, state.maxBodyBytes)
  if (typeof id !== "string") throw badRequest("Expected the id of a change.", "id")
  if (hash !== null && typeof hash !== "string")
    throw badRequest("Expected the hash of the file that is shown, or null for no file.", "hash")
  if (!folder.undo) throw new HttpProblem(403, "Nothing can be undone here: the inspector was given no `undo`.")
  const undoing = { by: "user", id, expect: hash === null ? ("absent" as const) : { hash } }
  return fileAnswer(async () => {
    await folder.undo?.(undoing)
    return list(state)
  })
}

function folderOf({ documents }: InspectorState): InspectedDocuments {
  if (documents) return documents
  throw new HttpProblem(404, "The inspector was given no documents.")
}

/** The routes of calls that wait in conversations of other processes (N30). */
const waitingRoutes: readonly Route[] = [
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
  const { choices, mayAnswer: from } = asked
  const { say = "" } = choices.find((choice) => choice.approved === approved) ?? {}
  const [id, atMs] = [`operator:${code}`, ports.clock.nowMs()]
  // A bot's job for a message of the person who was asked.
  const job = { id: JSON.stringify([sessionRowId(key), id]), kind: "message", key: { ...key, user: from.id }, turnId: id }
  const payload = { byOperator: true, id, text: approved ? say : `${say} ${reason}`, from }
  const isNew = await partsOf(state.agent).store.wakes.put({ ...job, atMs, dueMs: atMs, payload })
  if (!isNew) throw new HttpProblem(409, "This was answered already. The bot takes the answer once it runs.")
  return Response.json({ code })
}

/** All routes, by method and path behind the token. */
const routes: readonly Route[] = [
  { method: "GET", path: /^(|page\.js|page\.css)$/u, answer: pageFile },
  { method: "GET", path: /^api\/info$/u, answer: info },
  { method: "GET", path: /^api\/live$/u, answer: live },
  {
    method: "GET",
    path: /^api\/sprites(?:\/([^/]+))?$/u,
    answer: ({ agent }, { caught: [name] }) => spriteResponse(agent, name),
  },
  ...chatRoutes,
  ...turnRoutes,
  ...storedRoutes,
  ...waitingRoutes,
  growthRoute,
  timelineRoute,
  replayRoute,
  ...documentRoutes,
  compareRoute,
  compareAgentsRoute,
  ...editRoutes,
]

/** Answers a request whose address was checked. Throws {@link HttpProblem}. */
export async function answerApi(state: InspectorState, request: Request, path: string): Promise<Response> {
  const found = routes.filter((route) => route.path.test(path))
  const match = found.find(({ method }) => method === request.method)
  if (match) return match.answer(state, { request, caught: match.path.exec(path)?.slice(1) ?? [] })
  if (found.length === 0) throw new HttpProblem(404, "There is nothing at this address.")
  throw new HttpProblem(405, `${request.method} is not answered here.`)
}

async function pageFile(_: InspectorState, { caught: [name = ""] }: Call): Promise<Response> {
  const { pageFileOf } = await loadPage()
  const [type, text] = pageFileOf(name)
  return new Response(text, { headers: { "content-type": `${type}; charset=utf-8` } })
}

async function info(state: InspectorState): Promise<Response> {
  const { chat, recorder } = state
  const { memory } = await contextOf(state.agent)
  const bounds = { kept: recorder.turns.length, dropped: recorder.dropped, warnings: state.warnings }
  return Response.json({
    ...(await infoOf(state)),
    chat: chat !== undefined,
    memory: memory !== undefined,
    editor: state.editor,
    variants: state.variant !== undefined,
    judge: state.judge !== undefined,
    dialects: state.variant && shippedDialectNames(),
    documents: state.documents !== undefined,
    edits: state.files !== undefined,
    ...bounds,
  })
}

/** Server-sent events: the summaries of turns that changed, and the ids of those that are gone. */
function live({ recorder, parts, timers }: InspectorState): Response {
  const left = new AbortController()
  async function* summaries(): AsyncGenerator<{ readonly turns: readonly TurnSummary[]; readonly gone: readonly string[] }> {
    for await (const ids of changedTurns(recorder, { timers, signal: left.signal })) {
      const turns = ids.flatMap((id) => recorder.get(id) ?? [])
      yield { turns: turns.map((turn) => summaryOf(turn, parts)), gone: ids.filter((id) => !recorder.get(id)) }
    }
  }
  return streamed({ timers }, summaries(), { onCancel: () => left.abort() })
}

/** Between two looks at what changed, so that an answer that streams is not sent again for each of its characters. */
const pauseMs = 40

/**
 * Yields the ids of turns that changed, each at most once in a while. A reader that is slow misses no turn and makes nothing wait: what
 * waits for it is a set of ids, and no event. Ends when `signal` aborts.
 */
export async function* changedTurns(
  recorder: Recorder,
  { timers, signal }: { readonly timers: Timers; readonly signal: AbortSignal },
): AsyncGenerator<readonly string[]> {
  const changed = new Set<string>()
  let wake = Promise.withResolvers<void>()
  const stop = recorder.listen((turnId) => {
    changed.add(turnId)
    wake.resolve()
  })
  const onAbort = (): void => wake.resolve()
  signal.addEventListener("abort", onAbort)
  try {
    while (!signal.aborted) {
      await wake.promise
      if (signal.aborted) return
      wake = Promise.withResolvers()
      const ids = [...changed]
      changed.clear()
      yield ids
      await new Promise<void>((resolve) => timers.set(resolve, pauseMs))
    }
  } finally {
    stop()
    signal.removeEventListener("abort", onAbort)
  }
}
