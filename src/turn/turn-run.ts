import { messageOf, type PromptStrataError } from "../core/errors.ts"
import type { HistoryMessage, KeptPrestart } from "../core/history.ts"
import type { Cut } from "../core/span.ts"
import type { PlannerStep, RecalledMemory, TurnState, WakeReason } from "../layers/turn-state.ts"
import { addUsage, type Usage } from "../model/usage.ts"
import type { Tool, ToolRecord, ToolRun } from "../tools/tool.ts"
import { createToolSet, isInGroups, type ToolSet } from "../tools/tool-set.ts"
import type { ChildTrace, TraceStep, TurnTrace, TurnWarning } from "../trace/trace.ts"
import type { StopReason, TurnResult } from "../trace/turn-result.ts"
import { AnswerOutput } from "./answer-output.ts"
import type { TurnEvent } from "./events.ts"
import { fileFaultsOf, leaveFileFaults } from "./file-faults.ts"
import { withFittedArguments } from "./fit-arguments.ts"
import { fileOpener } from "./open-file.ts"
import type { TurnSetup } from "./turn-setup.ts"
import { isAtWork } from "./work-mode.ts"

const notPaused = () => () => undefined

/** An agent inside a tool call; its trace can be asked for at any time. */
export interface ChildRun {
  readonly id: string
  readonly name: string
  trace(): TurnTrace
}

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
  /** Agents that run, or ran, inside tool calls. */
  readonly children: ChildRun[] = []
  /** What hooks keep with the session, as this turn changes it. */
  readonly hookStates: Map<string, unknown>
  /** Ids of the notes that hooks took in. */
  readonly taken = new Set<string>()
  /** What hooks want told of each run of the model's. */
  readonly runListeners: ((run: ToolRun) => void)[] = []
  /** What prompts show of the window; hooks can show it shorter. */
  shownHistory: readonly HistoryMessage[]
  /** What the first step cut; later steps cut the same. Absent before it. */
  cut: Cut | undefined
  fault: string | undefined
  note: string | undefined
  readonly #warnedOf = new Set<string>()
  #tools: ToolSet
  #ownUsage: Usage = {}

  constructor(setup: TurnSetup, signal: AbortSignal, emit: (event: TurnEvent) => void, pause: () => () => void = notPaused) {
    this.setup = setup
    this.pause = pause
    this.signal = signal
    this.emit = emit
    this.startedMs = setup.ports.clock.nowMs()
    this.#tools = setup.tools
    this.shownHistory = setup.history
    this.answer = new AnswerOutput(setup.output, (event) => this.#tell(event), fileOpener(setup, signal))
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
      if (!isInGroups(tool, this.setup.toolGroups)) continue
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

  /** Tells whoever listens of a run that has ended. */
  heardRun(run: ToolRun): void {
    for (const listener of this.runListeners) {
      try {
        listener(run)
      } catch (thrown) {
        this.warn("hook", `A hook could not take in the run of ${run.tool}: ${messageOf(thrown)}`)
      }
    }
  }

  addStep(step: TraceStep): void {
    this.traceSteps.push(step)
    if (step.usage) this.#ownUsage = addUsage(this.#ownUsage, step.usage)
  }

  /** What the turn works on: the user's words, or why the agent began by itself. */
  get occasion(): string {
    return this.setup.wake ?? this.setup.question.text
  }

  /** What the prompts can show of the turn right now. */
  state(): TurnState {
    const { setup } = this
    return {
      question: setup.question,
      ...(setup.wake === undefined ? {} : { wake: wakeOf(setup, setup.wake) }),
      group: setup.key.audience === "group",
      agentName: setup.agentName,
      history: this.shownHistory,
      atMs: this.startedMs,
      ...(setup.timeZone === undefined ? {} : { timeZone: setup.timeZone }),
      files: setup.files ?? [],
      fileFaults: fileFaultsOf(setup.hookStates),
      groupRules: setup.groupRules ?? {},
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
    if (this.setup.wake !== undefined && !this.answer.hasShown) this.emit({ type: "empty-reply" })
    this.#leaveFileFaults()
    const { attachments } = this.answer
    const trace = this.trace()
    const shown = attachments.length > 0 ? { attachments } : {}
    return { ok: true, text: this.answer.text, ...shown, stopReason, usage: trace.usage, trace }
  }

  #leaveFileFaults(): void {
    const { unopened } = this.answer
    for (const { written, fault } of unopened) this.warn("file", `The answer shows ${written}, which was not opened: ${fault}.`)
    leaveFileFaults(this.hookStates, unopened)
  }

  fail(error: PromptStrataError): TurnResult {
    this.answer.end({ isWhole: false })
    return { ok: false, error, gathered: { runs: this.runs, text: this.answer.text }, trace: this.trace(error) }
  }

  trace(error?: PromptStrataError): TurnTrace {
    const { key, turnId, ports, process, wake } = this.setup
    const { agent, conversation, audience } = key
    const children = this.children.map(({ id, name, trace }): ChildTrace => ({ id, name, trace: trace() }))
    return {
      turnId,
      process,
      ...(wake === undefined ? {} : { wake }),
      key: { agent, conversation, audience },
      startedMs: this.startedMs,
      durationMs: ports.clock.nowMs() - this.startedMs,
      prestart: this.prestartRuns,
      ...(this.memories.length > 0 ? { recalled: this.memories } : {}),
      steps: this.traceSteps,
      runs: this.runs,
      warnings: this.warnings,
      records: this.records,
      children,
      usage: children.reduce((sum, child) => addUsage(sum, child.trace.usage), this.#ownUsage),
      ...(error ? { error } : {}),
    }
  }
}

function wakeOf({ output, stack }: TurnSetup, reason: string): WakeReason {
  return { reason, bubbles: output.bubbles, workMode: isAtWork(stack) }
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
