import { messageOf, PromptStrataError } from "../core/errors.ts"
import { type PausableTimer, startPausableTimer } from "../core/pausable-timer.ts"
import type { StopReason, TurnResult } from "../trace/turn-result.ts"
import type { TurnEvent } from "./events.ts"
import { finalOutput } from "./final-output.ts"
import { planChat } from "./plan-chat.ts"
import { planJson } from "./plan-json.ts"
import { planNative } from "./plan-native.ts"
import type { Planner, PlanningMode, PlanOutcome } from "./planner.ts"
import { prepare } from "./prepare.ts"
import { TurnRun } from "./turn-run.ts"
import type { TurnSetup } from "./turn-setup.ts"

/** A turn's result, and the run it came from for whoever commits it. */
export interface FinishedTurn {
  readonly result: TurnResult
  readonly run: TurnRun
}

/**
 * The loop: prepare → plan → (tool → plan)* → finish → final output (T13). Pure over its ports. Never rejects: a turn
 * ends in an answer or in a typed error that keeps what was gathered (T19). Emits everything but `turn-end`.
 */
export async function runTurn(
  setup: TurnSetup,
  signal: AbortSignal,
  emit: (event: TurnEvent) => void,
  onRun?: (run: TurnRun) => void,
): Promise<FinishedTurn> {
  const deadline = new Deadline(setup, signal)
  const run = new TurnRun(setup, deadline.signal, emit, () => deadline.pause())
  onRun?.(run)
  emit({ type: "turn-start", turnId: setup.turnId, atMs: run.startedMs })
  try {
    deadline.signal.throwIfAborted()
    await prepare(run)
    const planned = await planners[planningMode(run)](run)
    const stopReason = planned.type === "answered" ? endOf(planned) : await finalOutput(run, planned.stopReason)
    const opening = run.answer.settle()
    if (opening) await opening
    deadline.signal.throwIfAborted()
    return { result: run.succeed(stopReason), run }
  } catch (thrown) {
    return { result: run.fail(asTurnError(thrown)), run }
  } finally {
    deadline.close()
  }
}

function endOf({ truncated }: PlanOutcome & { type: "answered" }): StopReason {
  return truncated ? "truncated" : "finish"
}

const planners: Readonly<Record<PlanningMode, Planner>> = { json: planJson, native: planNative, chat: planChat }

/** Native calls need a model that has them; another plans with JSON, and says so. */
function planningMode(run: TurnRun): PlanningMode {
  const { loop, models } = run.setup
  const isAble = models.every(({ capabilities }) => capabilities.tools)
  if (loop.mode === "auto") return isAble ? "native" : "json"
  if (loop.mode !== "native" || isAble) return loop.mode
  run.warn("model", `${models.map(({ id }) => id).join(", ")} cannot call tools natively; this turn plans with JSON.`)
  return "json"
}

/** The turn's own signal: the caller's, or the time limit of the whole turn. */
class Deadline {
  readonly #controller = new AbortController()
  readonly #close: () => void
  readonly #timer: PausableTimer

  constructor({ limits, ports }: TurnSetup, signal: AbortSignal) {
    const onAbort = (): void => this.#controller.abort(abortError(signal.reason))
    if (signal.aborted) onAbort()
    signal.addEventListener("abort", onAbort)
    this.#timer = startPausableTimer(ports, limits.turnMs, () => this.#controller.abort(timeoutError(limits.turnMs)))
    this.#close = () => {
      this.#timer.clear()
      signal.removeEventListener("abort", onAbort)
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  pause(): () => void {
    return this.#timer.pause()
  }

  close(): void {
    this.#close()
  }
}

function abortError(reason: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(reason)) return reason
  const why = reason === undefined || (reason instanceof Error && reason.name === "AbortError") ? "" : `: ${messageOf(reason)}`
  return new PromptStrataError("aborted", `The turn was aborted${why}.`, { cause: reason })
}

function timeoutError(turnMs: number): PromptStrataError {
  return new PromptStrataError("turn-timeout", `expected the turn to end within ${turnMs} ms; it did not.`, {
    hint: "Raise limits.turnMs, or look at the trace for what took so long.",
    evidence: { limit: "turnMs", limitMs: turnMs },
  })
}

function asTurnError(thrown: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return new PromptStrataError("model", `The turn failed: ${messageOf(thrown)}`, { cause: thrown })
}
