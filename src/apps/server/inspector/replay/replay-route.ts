import { messageOf, PromptStrataError } from "../../../../core/errors.ts"
import type { Source } from "../../../../core/source.ts"
import type { Agent } from "../../../../loop/agent/agent.ts"
import { contextOf } from "../../../../loop/agent/published-agents.ts"
import type { AgentContext } from "../../../../loop/turn/turn-context.ts"
import { badRequest, HttpProblem } from "../../http-problem.ts"
import { readJsonBody } from "../../read-body.ts"
import { recordOfPreview } from "../build-record.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route, replayableOf } from "../route.ts"
import type { TurnRecord } from "../turn-record.ts"
import { previewAgain, runAgain } from "./again.ts"
import { type AgentChange, changeOfBody } from "./agent-change.ts"

/** The route that plays a turn again. */
export const replayRoute: Route = { method: "POST", path: /^api\/turns\/([\w.-]+)\/replay$/u, answer: replay }

/**
 * `{ change?, run? }`: the turn again by a changed agent, as a {@link TurnRecord}. Without `run` its first request is assembled, with it
 * the model is asked. 422 with a {@link ChangeProblem} if there is no such agent.
 */
async function replay(state: InspectorState, call: Call): Promise<Response> {
  const { change, run = false } = await readJsonBody(call.request, state.maxBodyBytes)
  if (typeof run !== "boolean") throw badRequest("Expected true or false.", "run")
  const asked = changeOfBody(change)
  const turn = await replayableOf(state, call)
  const outcome = await withVariant(state, asked, async (agent): Promise<TurnRecord> => {
    if (run) return runAgain(agent, turn, { parts: state.parts, signal: call.request.signal })
    return recordOfPreview(await previewAgain(agent, turn), turn)
  })
  return "problem" in outcome ? jsonWithoutSecrets(state, outcome, 422) : jsonWithoutSecrets(state, outcome.value)
}

/** The reason why there is no agent with a change. */
export interface ChangeProblem {
  readonly code: string
  /** In words for people; of a mistake in a file with its place and the lines around it. */
  readonly message: string
  readonly source?: Source | undefined
}

/**
 * Does something with the agent that a change makes of the inspected one, and closes it. Without a change it is the inspected one. Throws
 * {@link HttpProblem} if the inspector can make no other agents.
 */
export async function withVariant<T>(
  state: InspectorState,
  change: AgentChange | undefined,
  work: (agent: AgentContext) => Promise<T>,
): Promise<{ readonly value: T } | { readonly problem: ChangeProblem }> {
  const base = await contextOf(state.agent)
  if (change === undefined) return { value: await work(base) }
  if (!state.variant) throw new HttpProblem(403, "The inspector was made without `variant`, so it has no other agents.")
  let made: Agent | undefined
  try {
    made = await state.variant(change)
    // Its store may be one of its own.
    return { value: await work({ ...(await contextOf(made)), store: base.store }) }
  } catch (error) {
    // Some mistakes of a prompt show when it is printed.
    if (made === undefined || PromptStrataError.isInstance(error)) return { problem: problemOf(error) }
    throw error
  } finally {
    await made?.close({ signal: AbortSignal.abort() })
  }
}

/** An error as the page shows it. */
function problemOf(error: unknown): ChangeProblem {
  const message = messageOf(error)
  return PromptStrataError.isInstance(error) ? { code: error.code, message, source: error.source } : { code: "internal", message }
}

/** Does work on files. Errors of this library become refusals. */
export async function fileAnswer(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) throw error
    const status = error.code === "file-conflict" ? 409 : error.code === "file-missing" ? 404 : 422
    return Response.json({ problem: problemOf(error), error: { message: error.message } }, { status })
  }
}
