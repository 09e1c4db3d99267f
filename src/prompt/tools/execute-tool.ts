import { messageOf } from "../../core/errors.ts"
import type { Timers } from "../../core/ports.ts"
import { type PausableTimer, startPausableTimer } from "../../core/timers.ts"
import { type CapNotice, capResult, defaultMaxResultCharacters, normaliseResult } from "./result-text.ts"
import type { Confirm, Tool, ToolContext } from "./tool.ts"

/** The reason of a failed tool run, as data. The words for a model are in `prompts/`. */
export type ToolFailure =
  | { readonly kind: "invalid-arguments"; readonly issues: readonly string[] }
  /** `reason` is the message of the thrown error, cut like a result. */
  | { readonly kind: "threw"; readonly reason: string }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  | { readonly kind: "aborted" }

/** The outcome of one call. */
export type ToolOutcome = Outcome & { readonly durationMs: number }

/**
 * `args` are the checked arguments, with defaults filled in. `result` is text within the limit, or `""` when the tool returned
 * nothing.
 */
type Outcome =
  | { readonly status: "ok"; readonly args: unknown; readonly result: string; readonly cappedFromCharacters?: number }
  | { readonly status: "failed"; readonly failure: ToolFailure }

/** Options of {@link executeTool}. */
export interface ExecuteToolOptions {
  readonly context: Omit<ToolContext, "signal">
  /** The turn's signal. Its abort ends the run. */
  readonly signal: AbortSignal
  readonly timers: Timers
  /** The time limit of a tool that sets none. */
  readonly timeoutMs: number
  /** The time limit of this call, such as that of a prestart entry. It wins over the tool's own. */
  readonly callTimeoutMs?: number | undefined
  /** Makes the notice inside a result that was cut. */
  readonly notice: CapNotice
  /** The result limit of a tool that sets none, in code points. Default 20,000. */
  readonly maxResultCharacters?: number | undefined
}

/**
 * Checks the arguments, runs the tool and resolves with the outcome; never rejects (T18). When the turn is aborted or the
 * time limit is over, the tool's signal aborts and the run ends at once. A tool that goes on after that is ignored, with
 * everything it returns or throws. A tool that blocks the thread cannot be interrupted.
 */
export function executeTool(tool: Tool, args: unknown, options: ExecuteToolOptions): Promise<ToolOutcome> {
  const { context, signal, timers } = options
  const startedMs = context.clock.nowMs()
  const timeoutMs = options.callTimeoutMs ?? tool.timeoutMs ?? options.timeoutMs
  const controller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<ToolOutcome>()
  let timer: PausableTimer | undefined
  const settle = (outcome: Outcome): void => {
    timer?.clear()
    signal.removeEventListener("abort", onAbort)
    resolve({ ...outcome, durationMs: context.clock.nowMs() - startedMs })
  }
  const stop = (failure: ToolFailure, reason: unknown): void => {
    settle({ status: "failed", failure })
    controller.abort(reason)
  }
  const onAbort = (): void => stop({ kind: "aborted" }, signal.reason)
  if (signal.aborted) {
    onAbort()
    return promise
  }
  signal.addEventListener("abort", onAbort)
  const onTimeout = (): void => {
    const message = `Tool "${tool.name}" took longer than ${timeoutMs} ms.`
    stop({ kind: "timeout", timeoutMs }, new DOMException(message, "TimeoutError"))
  }
  timer = startPausableTimer({ clock: context.clock, timers }, timeoutMs, onTimeout, { startedMs })
  const confirm = context.confirm && whilePaused(timer, context.confirm)
  run(tool, args, { ...context, confirm, signal: controller.signal }, options).then(settle, (thrown) =>
    settle({ status: "failed", failure: { kind: "threw", reason: messageOf(thrown) } }),
  )
  return promise
}

/** Pauses the tool's time limit while a person is asked. */
function whilePaused(timer: PausableTimer, confirm: Confirm): Confirm {
  return async (request, signal) => {
    const resume = timer.pause()
    try {
      return await confirm(request, signal)
    } finally {
      resume()
    }
  }
}

async function run(tool: Tool, args: unknown, context: ToolContext, options: ExecuteToolOptions): Promise<Outcome> {
  const limit = tool.maxResultCharacters ?? options.maxResultCharacters ?? defaultMaxResultCharacters
  try {
    const checked = await tool.check(args)
    if (!checked.ok) return { status: "failed", failure: { kind: "invalid-arguments", issues: checked.issues } }
    // Without this, a tool could still begin (and write) after its turn or its time has ended.
    context.signal.throwIfAborted()
    const returned = await tool.execute(checked.value, context)
    const { text: result, ...cap } = capResult(normaliseResult(returned), limit, options.notice)
    return { status: "ok", args: checked.value, result, ...cap }
  } catch (thrown) {
    const reason = capResult(messageOf(thrown), limit, options.notice).text
    return { status: "failed", failure: { kind: "threw", reason } }
  }
}
