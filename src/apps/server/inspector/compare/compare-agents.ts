import { type Prices, priceOf } from "../../../../core/model/prices.ts"
import { redacted } from "../../../../core/secrets/redact.ts"
import { contextOf } from "../../../../loop/agent/published-agents.ts"
import type { AgentContext } from "../../../../loop/turn/turn-context.ts"
import { createInMemoryStore } from "../../../../memory/services/store/in-memory/in-memory-store.ts"
import { badRequest } from "../../http-problem.ts"
import { readJsonBody } from "../../read-body.ts"
import { recordOfPreview } from "../build-record.ts"
import { previewAgain, type ReplayableTurn, runAgain } from "../replay/again.ts"
import { type AgentChange, changeOfBody } from "../replay/agent-change.ts"
import { type ChangeProblem, withVariant } from "../replay/replay-route.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route, replayableOf } from "../route.ts"
import type { TurnRecord } from "../turn-record.ts"
import { compareTurns, type TurnComparison } from "./compare-turns.ts"
import { judgeAnswers, type Verdict } from "./judge.ts"

/** A turn or a question by two agents side by side. */
export interface AgentComparison extends TurnComparison {
  /** The cost of a call of each model. */
  readonly estimates: { readonly a: RunEstimate; readonly b: RunEstimate }
  /** Absent without a judge, for a recorded turn, and if one side has no answer. */
  readonly verdict?: Verdict | undefined
}

/** The tokens and the cost of a model's first call, as far as they are known before: a turn may need several. */
export interface RunEstimate {
  readonly model: string
  readonly readTokens: number
  /** False if they are estimated. */
  readonly exact: boolean
  /** The most that the profile leaves for an answer. */
  readonly answerTokens: number
  /** The cost of what is read, and of the longest answer; absent without the model's price. */
  readonly readCost?: number | undefined
  readonly answerCost?: number | undefined
}

/** An agent on one side of a comparison. */
interface SideAgent {
  readonly agent: AgentContext
  readonly turn: ReplayableTurn
}

/**
 * `{ turn?, question?, expected?, left?, right?, run? }`: a recorded turn, or words that nobody has said, by two agents that `left` and
 * `right` change. Without `run` no model is asked; with it, the judge compares answers to a question, and reads what is `expected`. 422
 * with the {@link ChangeProblem} and its `side` if there is no such agent.
 */
export const compareAgentsRoute: Route = { method: "POST", path: /^api\/compare$/u, answer: compareAgents }

/** The most characters of a question, and of an expected answer. */
const maxQuestion = 20_000

async function compareAgents(state: InspectorState, { request }: Call): Promise<Response> {
  const { turn: id, question, expected, left, right, run = false } = await readJsonBody(request, state.maxBodyBytes)
  if (typeof run !== "boolean") throw badRequest("Expected true or false.", "run")
  if ((typeof id === "string") === (typeof question === "string"))
    throw badRequest("Expected the id of a turn, or a question.", "turn")
  for (const [name, words] of Object.entries({ question, expected }))
    if (words !== undefined && (typeof words !== "string" || words.trim() === "" || words.length > maxQuestion))
      throw badRequest(`Expected words of 1 to ${maxQuestion} characters.`, name)
  const base = await contextOf(state.agent)
  const asked =
    typeof question === "string"
      ? { turn: turnOfQuestion(base, question), store: createInMemoryStore() }
      : { turn: await replayableOf(state, { request, caught: [String(id)] }), store: base.store }
  const outcome = await withBoth(state, { left: changeOfBody(left), right: changeOfBody(right) }, async (a, b) => {
    const sides = [a, b].map((agent) => ({ agent: { ...agent, store: asked.store }, turn: asked.turn }))
    const made = async (side: SideAgent): Promise<TurnRecord> =>
      run ? runAgain(side.agent, side.turn, { parts: state.parts, signal: request.signal }) : previewOf(side, state)
    const [recordA, recordB] = (await Promise.all(sides.map(made))) as [TurnRecord, TurnRecord]
    const { prices } = state.parts
    const isAnswered = [recordA, recordB].every(({ outcome: { state: ended } }) => ended === "answered")
    const task = { question: asked.turn.question, expected: expected as string | undefined, signal: request.signal }
    return {
      ...compareTurns({ record: recordA, index: 0 }, { record: recordB, index: 0 }, prices),
      estimates: { a: estimateOf(recordA, a, prices), b: estimateOf(recordB, b, prices) },
      verdict:
        state.judge && typeof question === "string" && isAnswered
          ? await judgeAnswers(state.judge, { ...task, a: recordA.answer, b: recordB.answer }, base.ports.random)
          : undefined,
    } satisfies AgentComparison
  })
  return "problem" in outcome ? Response.json(outcome, { status: 422 }) : jsonWithoutSecrets(state, outcome.value)
}

/** A question as the first turn of a conversation of its own. It has no memories, and no tool acts. */
function turnOfQuestion({ profile, ports }: AgentContext, question: string): ReplayableTurn {
  const id = ports.ids.next("question")
  const session = { agent: profile.agent.id, conversation: id, audience: "private" } as const
  const speaker = { id: "inspector", name: profile.user.name }
  const nothing = { prestart: [], tools: [], recalled: [], items: [] }
  return { id, session, speaker, question, startedMs: ports.clock.nowMs(), prompt: "planner", ...nothing }
}

/** The changes of both sides; undefined is the inspected agent as it is. */
interface BothChanges {
  readonly left: AgentChange | undefined
  readonly right: AgentChange | undefined
}

/** The reason why one of the agents is not there. */
export interface SideProblem {
  readonly side: keyof BothChanges
  readonly problem: ChangeProblem
}

/** Does something with the agents of both sides, and closes them. */
async function withBoth<T>(
  state: InspectorState,
  { left, right }: BothChanges,
  work: (a: AgentContext, b: AgentContext) => Promise<T>,
): Promise<{ readonly value: T } | SideProblem> {
  const outer = await withVariant(state, left, async (a) => {
    const inner = await withVariant(state, right, (b) => work(a, b))
    return "problem" in inner ? { side: "right" as const, problem: inner.problem } : inner
  })
  return "problem" in outer ? { side: "left", problem: outer.problem } : outer.value
}

/** The turn as it would begin with an agent. */
async function previewOf({ agent, turn }: SideAgent, { parts: { find } }: InspectorState): Promise<TurnRecord> {
  const record = recordOfPreview(await previewAgain(agent, turn), turn)
  const model = agent.models[0].id
  const shown: TurnRecord = { ...record, requests: record.requests.map((request) => ({ ...request, model })) }
  // Lines are compared by their places, so nothing of them may be replaced later.
  return redacted(shown, find)
}

/** Estimates a call with the first request of a record. */
function estimateOf({ requests: [first] }: TurnRecord, { profile, models }: AgentContext, prices: Prices): RunEstimate {
  const model = models[0].id
  const { tokens = 0, overheadTokens = 0, exact = true } = first ?? {}
  const price = priceOf(prices, model)
  const { answerTokens } = profile.budget
  return {
    ...{ model, readTokens: tokens + overheadTokens, exact, answerTokens },
    readCost: price && ((tokens + overheadTokens) * price.input) / 1_000_000,
    answerCost: price && (answerTokens * price.output) / 1_000_000,
  }
}
