import { asOurError } from "../../core/errors.ts"
import { late } from "../../core/late.ts"
import { defined, filled } from "../../core/value.ts"
import { printParameters, printParametersBy } from "../../prompt/tools/tool-entry.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import { loadCalls, loadFurtherCalls } from "./calls/load-calls.ts"
import type { Planner, PlanningMode } from "./model-step.ts"
import { waitingIn } from "./open-turn/open-turn.ts"
import type { CallGuard } from "./run-call.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { fail, succeed } from "./turn-outcome.ts"

/**
 * Runs a turn: prepare → plan → (tool → plan)* → finish → final output (T13). It does no I/O except by the ports of the agent.
 * Never rejects: a turn ends with an answer, or with a typed error that keeps what was gathered (T19). Emits every event of the
 * turn except `turn-end`.
 */
export async function runTurn(turn: TurnContext): Promise<TurnResult> {
  const { signal, progress, input } = turn
  const { agent, output, limits } = turn.agent.profile
  const { colour } = agent
  const people = input.key.audience === "group" ? filled(peopleOf(turn)) : undefined
  const told = defined({ colour, links: output.links, people })
  turn.emit({ type: "turn-start", turnId: input.turnId, atMs: turn.startedMs, ...told })
  if (input.received !== undefined) turn.emit({ type: "answer-decision", answers: true, reason: input.received })
  try {
    signal.throwIfAborted()
    await prepare(turn)
    const mode = planningMode(turn)
    const guard: CallGuard = { calls: new Map(), writes: 0, repeats: 0, canWait: true }
    if (mode === "chat" && input.tools?.length)
      warn(turn, "tool", "A profile in mode `chat` offers no tools, so those of this turn are not offered.")
    if (input.runs || input.journal?.runs.length)
      await (await loadFurtherCalls()).takeRuns(turn, mode === "native" ? mode : "json", guard)
    const step = input.resumes && (await (await loadFurtherCalls()).resumeStep(turn, input.resumes, guard))
    const planned = step ? ({ type: "awaiting", step } as const) : await (await loadPlanner[mode]())(turn, guard)
    if (planned.type === "awaiting") {
      progress.open.step = planned.step
      return succeed(turn, waitingIn(progress.open.calls, input.speaker, limits))
    }
    const told = planned.type === "final" ? planned.told : undefined
    const stopReason = planned.type === "answered" ? planned.stopReason : await (await loadProse()).finalOutput(turn, planned)
    const again = async () => (await loadProse()).proseStep(turn, { ...told, prompt: mode === "chat" ? "chat" : "final" })
    if (progress.output) await progress.output.settle(again)
    const opening = progress.answer.settle()
    if (opening) await opening
    for (const tool of progress.tools.plannerTools)
      if (tool.withAnswer === "required")
        await (await import("./ask-for-report.ts")).askForReport(turn, tool, { mode, note: told?.note })
    signal.throwIfAborted()
    return succeed(turn, { stopReason })
  } catch (thrown) {
    return fail(turn, asOurError(thrown, "model", "The turn failed"))
  } finally {
    progress.hooks.areOver = true
  }
}

/** The names of the people of a group, as far as the turn shows them. */
function peopleOf({ input, history, agent }: TurnContext): readonly string[] {
  const people = [...history.map(({ speaker }) => speaker), input.speaker, ...(input.mentions ?? [])]
  return [...new Set(people.map(({ name }) => name))].filter((name) => name !== agent.profile.agent.name)
}

const loadProse = late(() => import("./prose.ts"))

const loadPlanner: Readonly<Record<PlanningMode, () => Promise<Planner>>> = {
  json: late(async () => (await import("./plan-json.ts")).planJson),
  native: late(async () => (await import("./plan-native.ts")).planNative),
  chat: async () => (await loadProse()).planChat,
}

/**
 * Prepares the first plan (T13): runs prestart tools, recall and hooks, and keeps the results for the turn's prompts. Code that a turn
 * does not need is not loaded.
 */
export async function prepare(turn: TurnContext): Promise<void> {
  const { agent, input, progress } = turn
  // A turn that goes on has the results of its beginning.
  const prestart = input.resumes ? [] : agent.profile.prestart
  if (prestart.length > 0 || turn.hooks.length > 0 || agent.memory)
    progress.found = await (await loadCalls()).gather(turn, prestart)
  if (mayHoldNames(turn)) progress.speakers = await (await loadCalls()).readSpeakers(turn)
  let hasFiles = input.attachments.length > 0 || input.resumes !== undefined || (input.runs ?? input.journal) !== undefined
  let hasRuns = false
  for (const { attachments, runs } of progress.shownHistory) {
    hasFiles ||= attachments !== undefined
    hasRuns ||= runs !== undefined
    for (const run of runs ?? []) hasFiles ||= run.attachments !== undefined
  }
  if (hasFiles) progress.shown ??= await loadCalls()
  if (hasRuns || progress.shown) progress.fitting = await loadCalls()
  // Last, because hooks add tools too.
  if (agent.delegate) progress.tools = await agent.delegate(progress.tools)
  if (progress.tools.plannerTools.length > 0 && !printParameters) printParametersBy((await loadCalls()).toolParameters)
  const readers = progress.answer.loadReaders()
  if (readers) await readers
  turn.signal.throwIfAborted()
}

/** False for the first words of a private conversation that are plain, if no other words of people, tools or servers come with them. */
function mayHoldNames({ record, input, agent, hooks, history, progress, stack }: TurnContext): boolean {
  const { memory, delegate, profile } = agent
  if (record || input.key.audience === "group" || memory || delegate || hooks.length > 0 || profile.prestart.length > 0)
    return true
  if (!/^[\w\s.,!?'-]*$/.test(input.text) || input.attachments.length > 0 || input.wake !== undefined) return true
  return history.length > 0 || progress.tools.plannerTools.length > 0 || stack.items().some(({ trust }) => trust !== "author")
}

/** Native calls need models that support them. A turn with a model that does not plans with JSON, and warns if the profile asked for `native`. */
function planningMode(turn: TurnContext): PlanningMode {
  const { fallback, profile } = turn.agent
  const models = [...turn.agent.models, ...(fallback ? [fallback] : [])]
  const { mode } = profile.loop
  if (mode === "chat") return turn.input.resumes?.open.step.mode ?? mode
  if (mode === "json") return mode
  if (models.every(({ capabilities }) => capabilities.tools)) return "native"
  if (mode === "native")
    warn(turn, "model", `${models.map(({ id }) => id).join(", ")} cannot call tools natively; this turn plans with JSON.`)
  return "json"
}
