import { contextOf } from "../../agent/published-agents.ts"
import { eventStream, eventStreamHeaders } from "../event-stream.ts"
import { HttpProblem } from "../http-problem.ts"
import { readJsonBody } from "../read-body.ts"
import { changeOf, recordOf, shownAssembly, summaryOf } from "./build-record.ts"
import { changedTurns } from "./live.ts"
import type { PageInfo } from "./page-files.ts"
import { previewAgain } from "./preview.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, keptTurn, type Route } from "./route.ts"
import type { TurnSummary } from "./turn-record.ts"

/** The routes, by method and path behind the token. */
const routes: readonly Route[] = [
  { method: "GET", path: /^(|page\.js|page\.css)$/u, answer: pageFile },
  { method: "GET", path: /^api\/info$/u, answer: info },
  { method: "GET", path: /^api\/turns$/u, answer: listTurns },
  { method: "GET", path: /^api\/turns\/([\w.-]+)$/u, answer: oneTurn },
  { method: "GET", path: /^api\/turns\/([\w.-]+)\/html$/u, answer: savedTurn },
  { method: "POST", path: /^api\/turns\/([\w.-]+)\/preview$/u, answer: preview },
  { method: "POST", path: /^api\/turns\/([\w.-]+)\/recall$/u, answer: recall },
  { method: "GET", path: /^api\/live$/u, answer: live },
  { method: "POST", path: /^api\/chat$/u, answer: chat },
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
  const { pageFileOf } = await import("./page-files.ts")
  const [type, text] = pageFileOf(name)
  return new Response(text, { headers: { "content-type": `${type}; charset=utf-8` } })
}

async function info(state: InspectorState): Promise<Response> {
  const { chat, recorder } = state
  const { memory } = await contextOf(state.agent)
  const bounds = { kept: recorder.turns.length, dropped: recorder.dropped }
  return Response.json({ ...(await infoOf(state)), chat: chat !== undefined, memory: memory !== undefined, ...bounds })
}

async function infoOf({ agent, locale }: InspectorState): Promise<PageInfo> {
  const { profile } = await contextOf(agent)
  return { agent: profile.agent.name, colour: profile.agent.colour, profile: profile.name, locale: locale ?? profile.locale }
}

/** A turn as one HTML file. */
async function savedTurn(state: InspectorState, call: Call): Promise<Response> {
  const { htmlOf } = await import("./page-files.ts")
  const turn = keptTurn(state, call)
  const html = htmlOf(recordOf(turn, state.parts, await state.receiptsOf(turn)), await infoOf(state))
  return new Response(html, {
    headers: { "content-type": "text/html; charset=utf-8", "content-disposition": `attachment; filename="${turn.id}.html"` },
  })
}

const maxPage = 200

/** `?conversation=`, `?state=`, `?search=` filter; `?before=ID` and `?limit=` page. The newest turn comes first. */
function listTurns({ recorder, parts }: InspectorState, { request }: Call): Response {
  const { searchParams } = new URL(request.url)
  const [conversation, state, search] = ["conversation", "state", "search"].map((name) => searchParams.get(name))
  const limit = Number(searchParams.get("limit") ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPage)
    throw new HttpProblem(400, `Expected a limit from 1 to ${maxPage}.`, { param: "limit" })
  const kept = recorder.turns
  const before = searchParams.get("before")
  const end = before === null ? kept.length : kept.findIndex(({ id }) => id === before)
  if (end < 0) throw new HttpProblem(404, "The turn of `before` is no longer kept.", { param: "before" })
  const needle = search?.toLowerCase()
  const turns: TurnSummary[] = []
  let more = false
  for (const turn of kept.slice(0, end).reverse()) {
    if (conversation !== null && turn.session.conversation !== conversation) continue
    if (state !== null && turn.outcome.state !== state) continue
    if (needle && !`${turn.question}\n${turn.answer()}`.toLowerCase().includes(needle)) continue
    more = turns.length === limit
    if (more) break
    turns.push(summaryOf(turn, parts))
  }
  return Response.json({ turns, more, conversations: [...new Set(kept.map(({ session }) => session.conversation))] })
}

async function oneTurn(state: InspectorState, call: Call): Promise<Response> {
  const turn = keptTurn(state, call)
  return Response.json(recordOf(turn, state.parts, await state.receiptsOf(turn)))
}

/**
 * `{ budgetTokens?, off? }`: the first request of a turn, assembled again from the profile as it is now (L13), with another budget and
 * without some injections, and its difference to the one that was sent.
 */
async function preview(state: InspectorState, call: Call): Promise<Response> {
  const turn = keptTurn(state, call)
  const { budgetTokens, off = [] } = await readJsonBody(call.request, state.maxBodyBytes)
  if (budgetTokens !== undefined && !(Number.isSafeInteger(budgetTokens) && Number(budgetTokens) > 0))
    throw new HttpProblem(400, "Expected a budget of tokens.", { param: "budgetTokens" })
  if (!Array.isArray(off) || !off.every((key) => typeof key === "string"))
    throw new HttpProblem(400, "Expected a list of keys.", { param: "off" })
  const changes = { budgetTokens: budgetTokens as number | undefined, off }
  const assembly = await previewAgain(await contextOf(state.agent), turn, changes)
  const [sent] = turn.trace?.steps ?? []
  const change = sent && changeOf({ turn: turn.id, step: sent }, assembly, state.parts.prices[sent.model])
  return jsonWithoutSecrets(state, { ...shownAssembly(assembly, state.parts.find, turn.items), change })
}

/** `{ query }`: the memories that a question would recall in the turn's session, with their scores. */
async function recall(state: InspectorState, call: Call): Promise<Response> {
  const { session, speaker } = keptTurn(state, call)
  const { query } = await readJsonBody(call.request, state.maxBodyBytes)
  if (typeof query !== "string") throw new HttpProblem(400, "Expected the words to look for.", { param: "query" })
  const { memory } = await contextOf(state.agent)
  if (!memory) throw new HttpProblem(409, "The agent has no memory.")
  const found = await memory.recall(query, { ...session, user: speaker.id }, { limit: 50, signal: call.request.signal })
  return jsonWithoutSecrets(state, { memories: found })
}

/** Server-sent events: the summaries of turns that changed. */
function live({ recorder, parts, timers }: InspectorState): Response {
  const left = new AbortController()
  async function* summaries(): AsyncGenerator<{ readonly turns: readonly TurnSummary[] }> {
    for await (const ids of changedTurns(recorder, { timers, signal: left.signal })) {
      const turns = ids.flatMap((id) => recorder.get(id) ?? [])
      yield { turns: turns.map((turn) => summaryOf(turn, parts)) }
    }
  }
  return new Response(eventStream(summaries(), { timers, onCancel: () => left.abort() }), { headers: eventStreamHeaders })
}

/** `{ text }`: a message of the page's user. Answers with the turn's id at once. */
async function chat(state: InspectorState, { request }: Call): Promise<Response> {
  if (!state.chat) throw new HttpProblem(403, "Nobody may chat here: the inspector was made without `chat`.")
  const { text } = await readJsonBody(request, state.maxBodyBytes)
  if (typeof text !== "string" || text.trim() === "") throw new HttpProblem(400, "Expected words.", { param: "text" })
  const { conversation, user } = state.chat
  const turn = state.agent.session(conversation).send(text, { from: { id: user } })
  return Response.json({ turn: turn.id })
}
