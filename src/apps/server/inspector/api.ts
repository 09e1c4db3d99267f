import type { Timers } from "../../../core/ports.ts"
import { contextOf } from "../../../loop/agent/published-agents.ts"
import { shippedDialectNames } from "../../../prompt/dialect/shipped.ts"
import { spriteResponse } from "../feelings.ts"
import { HttpProblem } from "../http-problem.ts"
import { streamed } from "../serving.ts"
import { summaryOf } from "./build-record.ts"
import { chatRoutes } from "./chat-routes.ts"
import { compareAgentsRoute } from "./compare/compare-agents.ts"
import { compareRoute } from "./compare/compare-turns.ts"
import { documentRoutes } from "./documents/document-routes.ts"
import { editRoutes } from "./edit/edit-routes.ts"
import type { Recorder } from "./recorder.ts"
import { replayRoute } from "./replay/replay-route.ts"
import { type Call, type InspectorState, infoOf, loadPage, type Route } from "./route.ts"
import { storedRoutes } from "./stored-routes.ts"
import { timelineRoute } from "./timeline/timeline-route.ts"
import type { TurnSummary } from "./turn-record.ts"
import { growthRoute, turnRoutes } from "./turn-routes.ts"
import { waitingRoutes } from "./waiting-routes.ts"

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
