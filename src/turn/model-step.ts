import { assembleInjections } from "../assemble/assemble-injections.ts"
import { messageOf } from "../core/errors.ts"
import type { ToolCall } from "../core/message.ts"
import type { Assembly } from "../core/span.ts"
import { combineInjections } from "../layers/combine-injections.ts"
import type { LanguageModel, ModelRequest, ModelTool } from "../model/language-model.ts"
import type { FinishReason, ModelPart } from "../model/model-part.ts"
import { addUsage, type Usage } from "../model/usage.ts"
import type { Decision } from "../reply/decision.ts"
import { oneSystemMessage } from "./one-system-message.ts"
import { readModel } from "./read-model.ts"
import type { TurnRun } from "./turn-run.ts"
import { withRetries } from "./with-retries.ts"

/** How a step reads what the model says. */
export interface StepReading {
  /** Takes text as it comes; shows what may be shown. */
  onText(delta: string): void
  /** Takes a native tool call; absent where none is asked for. */
  onToolCall?(call: ToolCall): void
  /** Called at the end of a whole stream, never of a failed one: what was held back stays unsaid. The decision, for a planner step. */
  onEnd(finishReason: FinishReason | undefined): Decision | undefined
}

/** What a step asks for. */
export interface StepRequest {
  /** A prompt file of the dialect. */
  readonly prompt: string
  /** Tools that the model may call natively. */
  readonly tools?: readonly ModelTool[]
}

/**
 * One step: assemble, stream, read, record; again, or with the next model, where that can help. `makeReading` is called
 * for each attempt. Throws what the last one failed with.
 */
export function runModelStep(
  run: TurnRun,
  { prompt, tools }: StepRequest,
  makeReading: (model: LanguageModel) => StepReading,
): Promise<Decision | undefined> {
  return withRetries(run, (model) => runAttempt(run, { prompt, tools, model, reading: makeReading(model) }))
}

interface Attempt {
  readonly prompt: string
  readonly tools: readonly ModelTool[] | undefined
  readonly model: LanguageModel
  readonly reading: StepReading
}

/** One call of a model. Emits `step-start` and `step-end` also when the stream fails, and then throws what it failed with. */
async function runAttempt(run: TurnRun, { prompt, tools, model, reading }: Attempt): Promise<Decision | undefined> {
  const { limits, ports } = run.setup
  const step = run.traceSteps.length + 1
  const startedMs = ports.clock.nowMs()
  const assembly = assembleStep(run, { prompt, model, tools })
  run.emit({ type: "step-start", step, prompt, tokens: assembly.tokens + assembly.overheadTokens, exact: assembly.exact })
  const heard = new Heard(run, { step, model, reading })
  let error: string | undefined
  let decision: Decision | undefined
  try {
    const options = { signal: run.signal, limits, clock: ports.clock, timers: ports.timers }
    await readModel(model, requestOf(run, { prompt, tools, model, assembly }), { ...options, onPart: (part) => heard.part(part) })
    decision = reading.onEnd(heard.finishReason)
  } catch (thrown) {
    error = messageOf(thrown)
    throw thrown
  } finally {
    const { usage, finishReason } = heard
    const outcome = { ...(decision ? { decision } : {}), ...(usage ? { usage } : {}), ...(finishReason ? { finishReason } : {}) }
    const times = { startedMs, durationMs: ports.clock.nowMs() - startedMs }
    const failure = error === undefined ? {} : { error }
    run.addStep({ step, prompt, model: model.id, assembly, output: heard.output(), ...outcome, ...failure, ...times })
    run.emit({ type: "step-end", step, ...outcome, ...failure })
  }
  return decision
}

/** The request's assembly; the turn's first decides what is cut (design, rule 6). */
export function assembleStep(run: TurnRun, { prompt, model, tools }: Pick<Attempt, "prompt" | "model" | "tools">): Assembly {
  const { setup } = run
  const assembly = assembleInjections(combineInjections(setup.stack, run.state(), setup.dialect), {
    dialect: setup.dialect,
    prompt,
    developerRole: model.capabilities.developerRole,
    counter: setup.ports.counter,
    ...(setup.budgetTokens === undefined ? {} : { budgetTokens: setup.budgetTokens }),
    ...(run.cut ? { cut: run.cut } : {}),
    history: { reserveTokens: setup.reserveTokens },
    ...(tools ? { tools: tools.map(({ inputSchema, ...tool }) => ({ ...tool, parameters: inputSchema })) } : {}),
  })
  run.cut = assembly.cut
  const { prefixMoved } = assembly
  if (prefixMoved)
    run.warnOnce(
      "budget",
      prefixMoved.key,
      `The request's beginning moved in this turn: ${prefixMoved.key} was cut, ${prefixMoved.reason}.`,
    )
  for (const { key, removed, kinds } of assembly.sanitised) {
    run.warnOnce("sanitised", key, `${removed} invisible or control characters (${kinds.join(", ")}) were left out of ${key}.`)
  }
  return assembly
}

function requestOf(
  run: TurnRun,
  { prompt, tools, model, assembly }: Omit<Attempt, "reading"> & { assembly: Assembly },
): ModelRequest {
  const { setup } = run
  const { responseFormat, ...request } = setup.request
  return {
    messages: model.capabilities.severalSystemMessages === false ? oneSystemMessage(assembly.messages) : assembly.messages,
    assembly,
    ...request,
    ...(tools === undefined ? {} : { tools }),
    ...(responseFormat !== undefined && prompt === "planner" ? { responseFormat } : {}),
    facts: {
      prompt,
      question: run.occasion,
      speaker: setup.question.speaker.name,
      tools: prompt === "planner" || prompt === "native" ? run.tools.plannerTools : [],
      runs: run.runs.map(({ tool, args, result, status }) => ({ tool, args, result, failed: status === "failed" })),
      prestart: run.prestart.map(({ tool, result }) => ({ tool, result })),
      memories: run.memories.map(({ text }) => text),
    },
  }
}

/** Listens to a stream: keeps the output, the usage and the finish, and passes thinking on as events. */
class Heard {
  readonly #run: TurnRun
  readonly #step: number
  readonly #model: LanguageModel
  readonly #reading: StepReading
  readonly #output: string[] = []
  usage: Usage | undefined
  finishReason: FinishReason | undefined

  constructor(run: TurnRun, { step, model, reading }: { step: number; model: LanguageModel; reading: StepReading }) {
    this.#run = run
    this.#step = step
    this.#model = model
    this.#reading = reading
  }

  output(): string {
    return this.#output.join("")
  }

  part(part: ModelPart): void {
    switch (part.type) {
      case "text-delta":
        this.#output.push(part.delta)
        this.#reading.onText(part.delta)
        break
      case "reasoning-delta":
        if (part.delta !== "") this.#run.emit({ type: "thinking-delta", step: this.#step, delta: part.delta })
        break
      case "usage":
        this.usage = addUsage(this.usage ?? {}, part.usage)
        break
      case "finish":
        this.finishReason ??= part.reason
        break
      case "warning":
        this.#run.warn("model", part.message)
        break
      case "tool-call":
        if (this.#reading.onToolCall) this.#reading.onToolCall(part.call)
        else
          this.#run.warn(
            "model",
            `${this.#model.id} called ${part.call.name} natively, which it was not asked to; the call was ignored.`,
          )
    }
  }
}
