import { priceOf } from "../../../core/model/prices.ts"
import { contextOf } from "../../../loop/agent/published-agents.ts"
import { badRequest, HttpProblem } from "../http-problem.ts"
import { readJsonBody } from "../read-body.ts"
import { requestChange, shownAssembly, summaryOf } from "./build-record.ts"
import { isSameSession, type KeptTurn } from "./recorder.ts"
import { previewAgain } from "./replay/again.ts"
import {
  type Call,
  type InspectorState,
  infoOf,
  jsonWithoutSecrets,
  loadPage,
  type Route,
  recordOfCall,
  replayableOf,
} from "./route.ts"
import type { TurnSummary } from "./turn-record.ts"

/** The first request of a turn by layers. */
export interface GrowthStep {
  readonly id: string
  readonly question: string
  readonly tokens: number
  /** In the order in which they begin. */
  readonly layers: readonly { readonly key: string; readonly tokens: number }[]
  /** The injections that were cut or left out for the budget. */
  readonly cut: readonly { readonly key: string; readonly fate: string }[]
}

/** The newest turns that are shown. */
const maxSteps = 100

/** How the prompt of a turn's session grew, and what fell out when: of the turns in memory. */
export const growthRoute: Route = { method: "GET", path: /^api\/turns\/([\w.-]+)\/growth$/u, answer: growth }

async function growth(state: InspectorState, call: Call): Promise<Response> {
  const { session } = await recordOfCall(state, call)
  const turns = state.recorder.turns.filter((turn) => isSameSession(turn.session, session) && turn.trace?.steps[0])
  const steps = turns.slice(-maxSteps).map(({ id, question, wake, trace }): GrowthStep => {
    const { assembly } = trace?.steps[0] ?? {}
    const layers = new Map<string, number>()
    for (const { key, tokens } of assembly?.spans ?? []) layers.set(key, (layers.get(key) ?? 0) + tokens)
    return {
      id,
      question: (wake ?? question).slice(0, 200).toWellFormed(),
      tokens: assembly?.tokens ?? 0,
      layers: [...layers].map(([key, tokens]) => ({ key, tokens })),
      cut: (assembly?.decisions ?? []).flatMap(({ key, fate }) =>
        fate === "shortened" || fate === "dropped" ? { key, fate } : [],
      ),
    }
  })
  return jsonWithoutSecrets(state, { steps, left: turns.length - steps.length })
}

/** The routes of turns. */
export const turnRoutes: readonly Route[] = [
  { method: "GET", path: /^api\/turns$/u, answer: listTurns },
  { method: "GET", path: /^api\/turns\/([\w.-]+)$/u, answer: oneTurn },
  { method: "GET", path: /^api\/turns\/([\w.-]+)\/html$/u, answer: savedTurn },
  { method: "POST", path: /^api\/turns\/([\w.-]+)\/preview$/u, answer: preview },
]

/** A turn as one HTML file. */
async function savedTurn(state: InspectorState, call: Call): Promise<Response> {
  const { htmlOf } = await loadPage()
  const record = await recordOfCall(state, call)
  const html = await htmlOf(record, await infoOf(state))
  return new Response(html, {
    headers: { "content-type": "text/html; charset=utf-8", "content-disposition": `attachment; filename="${record.id}.html"` },
  })
}

const maxPage = 200

/** `?conversation=`, `?state=`, `?search=` filter; `?before=ID` and `?limit=` page. The newest turn comes first. */
async function listTurns(state: InspectorState, { request }: Call): Promise<Response> {
  const { searchParams } = new URL(request.url)
  const [conversation, outcome, search] = ["conversation", "state", "search"].map((name) => searchParams.get(name))
  const limit = Number(searchParams.get("limit") ?? 50)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxPage)
    throw badRequest(`Expected a limit from 1 to ${maxPage}.`, "limit")
  const kept = await allTurns(state)
  const before = searchParams.get("before")
  const end = before === null ? kept.length : kept.findIndex(({ id }) => id === before)
  if (end < 0) throw new HttpProblem(404, "The turn of `before` is no longer kept.", { param: "before" })
  const needle = search?.toLowerCase()
  const turns: TurnSummary[] = []
  let more = false
  for (const turn of kept.slice(0, end).reverse()) {
    if (conversation !== null && turn.session.conversation !== conversation) continue
    if (outcome !== null && turn.outcome.state !== outcome) continue
    if (needle && !`${turn.question}\n${answerOf(turn)}`.toLowerCase().includes(needle)) continue
    more = turns.length === limit
    if (more) break
    turns.push("trace" in turn ? summaryOf(turn, state.parts) : turn)
  }
  return Response.json({ turns, more, conversations: [...new Set(kept.map(({ session }) => session.conversation))] })
}

/** The turns in memory and those that are on the disk alone, by the time of their start. */
export async function allTurns({ recorder, kept }: InspectorState): Promise<readonly (KeptTurn | TurnSummary)[]> {
  const stored = (await kept?.summaries()) ?? []
  const all = [...stored.filter(({ id }) => !recorder.get(id)), ...recorder.turns]
  return stored.length === 0 ? all : all.sort((a, b) => a.startedMs - b.startedMs)
}

function answerOf({ answer }: KeptTurn | TurnSummary): string {
  return typeof answer === "string" ? answer : answer()
}

async function oneTurn(state: InspectorState, call: Call): Promise<Response> {
  return Response.json(await recordOfCall(state, call))
}

/**
 * `{ budgetTokens?, off? }`: the first request of a turn, assembled again from the profile as it is now (L13), with another budget and
 * without some injections, and its difference to the one that was sent.
 */
async function preview(state: InspectorState, call: Call): Promise<Response> {
  const turn = await replayableOf(state, call)
  const { budgetTokens, off = [] } = await readJsonBody(call.request, state.maxBodyBytes)
  if (budgetTokens !== undefined && !(Number.isSafeInteger(budgetTokens) && Number(budgetTokens) > 0))
    throw badRequest("Expected a budget of tokens.", "budgetTokens")
  if (!Array.isArray(off) || !off.every((key) => typeof key === "string")) throw badRequest("Expected a list of keys.", "off")
  const changes = { budgetTokens: budgetTokens as number | undefined, off }
  const assembly = await previewAgain(await contextOf(state.agent), turn, changes)
  const [sent] = state.recorder.get(turn.id)?.trace?.steps ?? []
  const change = sent && requestChange({ turn: turn.id, step: sent }, assembly, priceOf(state.parts.prices, sent.model))
  return jsonWithoutSecrets(state, { ...shownAssembly(assembly, state.parts.find, turn.items), change })
}
