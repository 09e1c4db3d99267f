import { messageOf } from "../../../../../core/errors.ts"
import { mapTexts, redactText } from "../../../../../core/secrets/redact.ts"
import { contextOf } from "../../../../../loop/agent/published-agents.ts"
import type { AgentContext } from "../../../../../loop/turn/turn-context.ts"
import { badRequest, HttpProblem } from "../../../http-problem.ts"
import { readJsonBody } from "../../../read-body.ts"
import { streamed } from "../../../serving.ts"
import { runAgain } from "../../replay/again.ts"
import { changeOfBody } from "../../replay/agent-change.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route } from "../../route.ts"
import type { TurnRecord } from "../../turn-record.ts"
import { type BothChanges, estimateOf, previewOf, type RunEstimate, type SideProblem, withBoth } from "../compare-agents.ts"
import { turnOfQuestion } from "../question-turn.ts"
import { type FileQuestion, readQuestions } from "./read-questions.ts"
import type { QuestionResult } from "./results.ts"
import { runQuestions } from "./run-questions.ts"

/** The tokens and the cost of a file's questions: the sums of one call each. */
export interface QuestionEstimate {
  readonly questions: number
  /** Questions that were assembled for it; the others are taken for their mean. */
  readonly sampled: number
  readonly a: RunEstimate
  readonly b: RunEstimate
  /** True if a judge compares the answers. */
  readonly judge: boolean
}

/** An event of a run. The last one is `end` or a problem. */
export type QuestionEvent =
  | { readonly type: "result"; readonly result: QuestionResult }
  | ({ readonly type: "problem" } & SideProblem)
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "end" }

/**
 * `{ text, left?, right?, run? }`: the questions of a file by two agents. Without `run` no model is asked, and the answer is a
 * {@link QuestionEstimate}. With it, the answer streams {@link QuestionEvent}s; a reader that leaves ends it. 400 for mistakes in the
 * file, with their lines.
 */
export const questionsRoute: Route = { method: "POST", path: /^api\/compare\/questions$/u, answer: compareQuestions }

/** The most questions that are assembled for an estimate. */
const maxSampled = 20

async function compareQuestions(state: InspectorState, { request }: Call): Promise<Response> {
  const { text, left, right, run = false } = await readJsonBody(request, state.maxBodyBytes)
  if (typeof run !== "boolean") throw badRequest("Expected true or false.", "run")
  if (typeof text !== "string") throw badRequest("Expected the text of a file.", "text")
  const { questions, mistakes } = readQuestions(text)
  if (!questions) throw badRequest(mistakes.join("\n"), "text")
  const changes = { left: changeOfBody(left), right: changeOfBody(right) }
  if (!state.variant && (changes.left ?? changes.right))
    throw new HttpProblem(403, "The inspector was made without `variant`, so it has no other agents.")
  if (run) return runningAnswer(state, questions, { changes, signal: request.signal })
  const outcome = await withBoth(state, changes, (a, b) => estimate(state, questions, [a, b]))
  return "problem" in outcome ? Response.json(outcome, { status: 422 }) : jsonWithoutSecrets(state, outcome.value)
}

async function estimate(
  state: InspectorState,
  questions: readonly FileQuestion[],
  agents: readonly [AgentContext, AgentContext],
): Promise<QuestionEstimate> {
  const base = await contextOf(state.agent)
  const step = Math.max(1, questions.length / maxSampled)
  const sample = Array.from({ length: Math.min(questions.length, maxSampled) }, (_, at) => questions[Math.floor(at * step)])
  const estimates: [RunEstimate[], RunEstimate[]] = [[], []]
  for (const question of sample) {
    if (!question) continue
    const { turn, store } = await turnOfQuestion(base, question)
    for (const [at, agent] of agents.entries()) {
      const record = await previewOf({ agent: { ...agent, store }, turn }, state)
      estimates[at]?.push(estimateOf(record, agent, state.parts.prices))
    }
  }
  const [a, b] = estimates.map((each) => sumOf(each, questions.length / sample.length))
  if (!a || !b) throw new Error("There is no question to estimate.")
  return { questions: questions.length, sampled: sample.length, a, b, judge: state.judge !== undefined }
}

/** The sum of estimates, so many times. A cost that one of them lacks is not known. */
function sumOf(estimates: readonly RunEstimate[], times: number): RunEstimate | undefined {
  const [first] = estimates
  if (!first) return undefined
  const sum = (read: (one: RunEstimate) => number | undefined): number | undefined => {
    const values = estimates.map(read)
    return values.reduce((all, value) => (all === undefined || value === undefined ? undefined : all + value), 0)
  }
  const scaled = (value: number | undefined) => (value === undefined ? undefined : value * times)
  return {
    model: first.model,
    readTokens: Math.round(scaled(sum(({ readTokens }) => readTokens)) ?? 0),
    exact: times === 1 && estimates.every(({ exact }) => exact),
    answerTokens: Math.round(scaled(sum(({ answerTokens }) => answerTokens)) ?? 0),
    readCost: scaled(sum(({ readCost }) => readCost)),
    answerCost: scaled(sum(({ answerCost }) => answerCost)),
  }
}

/** Runs the questions and streams their results. What waits for a slow reader is bounded by the number of questions. */
function runningAnswer(
  state: InspectorState,
  questions: readonly FileQuestion[],
  { changes, signal: left }: { readonly changes: BothChanges; readonly signal: AbortSignal },
): Response {
  const leaving = new AbortController()
  const signal = AbortSignal.any([left, leaving.signal])
  const waiting: QuestionEvent[] = []
  let wake = Promise.withResolvers<void>()
  const push = (event: QuestionEvent): void => {
    waiting.push(mapTexts(event, (text) => redactText(text, state.parts.find)) as QuestionEvent)
    wake.resolve()
  }
  const run = runAll(state, questions, { changes, signal, onResult: (result) => push({ type: "result", result }) })
  void run.then(push, (error: unknown) => push({ type: "failed", message: messageOf(error) }))
  async function* events(): AsyncGenerator<QuestionEvent> {
    for (;;) {
      const event = waiting.shift()
      if (event) {
        yield event
        if (event.type !== "result") return
      } else {
        await wake.promise
        wake = Promise.withResolvers()
      }
    }
  }
  return streamed(state, events(), { onCancel: () => leaving.abort() })
}

interface RunOptions {
  readonly changes: BothChanges
  readonly signal: AbortSignal
  readonly onResult: (result: QuestionResult) => void
}

async function runAll(
  state: InspectorState,
  questions: readonly FileQuestion[],
  { changes, signal, onResult }: RunOptions,
): Promise<QuestionEvent> {
  const base = await contextOf(state.agent)
  const outcome = await withBoth(state, changes, (a, b) =>
    runQuestions({
      ...{ questions, judge: state.judge, random: base.ports.random, signal, onResult },
      async ask(question): Promise<[TurnRecord, TurnRecord]> {
        const { turn, store } = await turnOfQuestion(base, question)
        const parts = { parts: state.parts, signal }
        return Promise.all([runAgain({ ...a, store }, turn, parts), runAgain({ ...b, store }, turn, parts)])
      },
    }),
  )
  return "problem" in outcome ? { type: "problem", ...outcome } : { type: "end" }
}
