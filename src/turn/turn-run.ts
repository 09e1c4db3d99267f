import type { PromptStrataError } from "../core/errors.ts"
import type { KeptPrestart } from "../core/history.ts"
import type { Cut } from "../core/span.ts"
import type { PlannerStep, RecalledMemory, TurnState } from "../layers/turn-state.ts"
import { addUsage, type Usage } from "../model/usage.ts"
import type { Tool, ToolRecord, ToolRun } from "../tools/tool.ts"
import { createToolSet, type ToolSet } from "../tools/tool-set.ts"
import type { TraceStep, TurnTrace, TurnWarning } from "../trace/trace.ts"
import type { StopReason, TurnResult } from "../trace/turn-result.ts"
import { AnswerOutput } from "./answer-output.ts"
import type { TurnEvent } from "./events.ts"
import { withFittedArguments } from "./fit-arguments.ts"
import type { TurnSetup } from "./turn-setup.ts"

const notPaused = () => () => undefined

/** One turn as it stands: what it has gathered, and where its events go. */
export class TurnRun {
  readonly setup: TurnSetup
  readonly signal: AbortSignal
  readonly emit: (event: TurnEvent) => void
  /** Stops the turn's time limit until the function handed back is called. */
  readonly pause: () => () => void
  readonly startedMs: number
  readonly answer: AnswerOutput
  readonly memories: RecalledMemory[] = []
  readonly prestartRuns: ToolRun[] = []
  readonly prestart: KeptPrestart[] = []
  /** Prestart results that stay in history (T26). */
  readonly kept: KeptPrestart[] = []
  readonly runs: ToolRun[] = []
  readonly steps: PlannerStep[] = []
  readonly traceSteps: TraceStep[] = []
  readonly warnings: TurnWarning[] = []
  readonly records: ToolRecord[] = []
  /** What hooks keep with the session, as this turn changes it. */
  readonly hookStates: Map<string, unknown>
  /** What the first step cut; later steps cut the same. Absent before it. */
  cut: Cut | undefined
  fault: string | undefined
  note: string | undefined
  readonly #warnedOf = new Set<string>()
  #tools: ToolSet
  #usage: Usage = {}

  constructor(setup: TurnSetup, signal: AbortSignal, emit: (event: TurnEvent) => void, pause: () => () => void = notPaused) {
    this.setup = setup
    this.pause = pause
    this.signal = signal
    this.emit = emit
    this.startedMs = setup.ports.clock.nowMs()
    this.#tools = setup.tools
    this.answer = new AnswerOutput(setup.output, (event) => this.#tell(event))
    this.hookStates = new Map(Object.entries(setup.hookStates))
  }

  /** The agent's tools and those that hooks added for this turn. */
  get tools(): ToolSet {
    return this.#tools
  }

  /** Withdraws and then adds tools for this turn; hands back those whose names are taken, which are left out. */
  changeTools(added: readonly Tool[], withdrawn: readonly string[]): readonly Tool[] {
    if (added.length + withdrawn.length === 0) return []
    const before = this.#tools
    const names = new Set(withdrawn)
    const left = before.tools.filter(({ name }) => !names.has(name))
    const seen = new Set(left.map(({ name }) => name))
    const taken: Tool[] = []
    const placed = new Map<string, Tool>()
    for (const tool of added) {
      if (seen.has(tool.name)) taken.push(tool)
      else placed.set(tool.name, asVisibleAs(before.get(tool.name), tool))
      seen.add(tool.name)
    }
    this.#tools = createToolSet(inOrder(before.tools, left, placed))
    return taken
  }

  /** A warning of the answer's own is kept like any other. */
  #tell(event: TurnEvent): void {
    if (event.type === "warning") this.warnings.push(event.warning)
    this.emit(event)
  }

  warn(kind: TurnWarning["kind"], message: string): void {
    const warning = { kind, message }
    this.warnings.push(warning)
    this.emit({ type: "warning", warning })
  }

  /** Warns of `subject` the first time only: a later step's request says the same again. */
  warnOnce(kind: TurnWarning["kind"], subject: string, message: string): void {
    const said = `${kind} ${subject}`
    if (this.#warnedOf.has(said)) return
    this.#warnedOf.add(said)
    this.warn(kind, message)
  }

  addStep(step: TraceStep): void {
    this.traceSteps.push(step)
    if (step.usage) this.#usage = addUsage(this.#usage, step.usage)
  }

  /** What the prompts can show of the turn right now. */
  state(): TurnState {
    const { setup } = this
    return {
      question: setup.question,
      group: setup.key.audience === "group",
      agentName: setup.agentName,
      history: setup.history,
      memories: this.memories,
      prestart: this.prestart,
      tools: this.tools.plannerTools,
      memoryOn: setup.memoryOn,
      runs: this.runs.map((one) => withFittedArguments(one, setup)),
      steps: this.steps,
      ...(this.note === undefined ? {} : { note: this.note }),
      ...(this.fault === undefined ? {} : { fault: this.fault }),
    }
  }

  succeed(stopReason: StopReason): TurnResult {
    this.answer.end({ isWhole: true })
    return { ok: true, text: this.answer.text, stopReason, usage: this.#usage, trace: this.trace() }
  }

  fail(error: PromptStrataError): TurnResult {
    this.answer.end({ isWhole: false })
    return { ok: false, error, gathered: { runs: this.runs, text: this.answer.text }, trace: this.trace(error) }
  }

  trace(error?: PromptStrataError): TurnTrace {
    const { key, turnId, ports } = this.setup
    const { agent, conversation, audience } = key
    return {
      turnId,
      key: { agent, conversation, audience },
      startedMs: this.startedMs,
      durationMs: ports.clock.nowMs() - this.startedMs,
      prestart: this.prestartRuns,
      steps: this.traceSteps,
      runs: this.runs,
      warnings: this.warnings,
      records: this.records,
      usage: this.#usage,
      ...(error ? { error } : {}),
    }
  }
}

/** What takes the place of another stands where that one stood, so that the list's other lines stay where they are. */
function inOrder(before: readonly Tool[], left: readonly Tool[], placed: Map<string, Tool>): readonly Tool[] {
  const staying = new Set(left)
  const kept = before.flatMap((tool) => {
    if (staying.has(tool)) return [tool]
    const other = placed.get(tool.name)
    placed.delete(tool.name)
    return other === undefined ? [] : [other]
  })
  return [...kept, ...placed.values()]
}

function asVisibleAs(other: Tool | undefined, tool: Tool): Tool {
  return other === undefined || other.visibility === tool.visibility ? tool : { ...tool, visibility: other.visibility }
}
