import { messageOf } from "../core/errors.ts"
import { type PausableTimer, startPausableTimer } from "../core/pausable-timer.ts"
import type { Timers } from "../core/ports.ts"
import { type CapNotice, capResult, defaultMaxResultCharacters } from "./cap-result.ts"
import type { Confirm } from "./confirm.ts"
import { normaliseResult } from "./normalise-result.ts"
import type { Tool, ToolContext } from "./tool.ts"

/** Why a tool run failed, as data: the words for a model live in `prompts/`. */
export type ToolFailure =
  | { readonly kind: "invalid-arguments"; readonly issues: readonly string[] }
  /** `reason` is the raw message of what was thrown, capped like a result. */
  | { readonly kind: "threw"; readonly reason: string }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  | { readonly kind: "aborted" }

/** How one call went. `args` are the checked arguments, with defaults filled in. */
export type ToolOutcome =
  | {
      readonly status: "ok"
      readonly args: unknown
      /** Text, within the limit; `""` when the tool returned nothing. */
      readonly result: string
      readonly cappedFromCharacters?: number
      readonly durationMs: number
    }
  | { readonly status: "failed"; readonly failure: ToolFailure; readonly durationMs: number }

/** What a run takes from the turn. */
export interface ExecuteToolOptions {
  readonly context: Omit<ToolContext, "signal">
  /** The turn's signal. */
  readonly signal: AbortSignal
  readonly timers: Timers
  /** The limit for a tool that has none of its own. */
  readonly timeoutMs: number
  /** The limit set for this very call, such as a prestart entry's; wins over the tool's own. */
  readonly callTimeoutMs?: number
  /** The words between both ends of a result that was too long. */
  readonly notice: CapNotice
  /** The limit for a tool that has none of its own, in code points. Default 20,000. */
  readonly maxResultCharacters?: number
}

/**
 * Checks the arguments, runs the tool and settles with what came of it; never rejects (T18). When the turn is aborted or
 * the time is up the tool's own signal aborts and the run settles at once: a tool that goes on is abandoned and what it
 * returns or throws later is dropped. A tool that blocks the thread cannot be interrupted by anything in this process.
 */
export function executeTool(tool: Tool, args: unknown, options: ExecuteToolOptions): Promise<ToolOutcome> {
  const { context, signal, timers } = options
  const startedMs = context.clock.nowMs()
  const timeoutMs = options.callTimeoutMs ?? tool.timeoutMs ?? options.timeoutMs
  const controller = new AbortController()
  return new Promise((resolve) => {
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
    if (signal.aborted) return onAbort()
    signal.addEventListener("abort", onAbort)
    const onTimeout = (): void => stop({ kind: "timeout", timeoutMs }, timeoutReason(tool, timeoutMs))
    const running = startPausableTimer({ clock: context.clock, timers }, timeoutMs, onTimeout, { startedMs })
    timer = running
    const confirm = whilePaused(context.confirm, running)
    void run(tool, args, { ...context, ...(confirm ? { confirm } : {}), signal: controller.signal }, options).then(
      settle,
      (thrown) => {
        settle({ status: "failed", failure: { kind: "threw", reason: messageOf(thrown) } })
      },
    )
  })
}

/** Asking takes a person's time, not the tool's. */
function whilePaused(confirm: Confirm | undefined, timer: PausableTimer): Confirm | undefined {
  return (
    confirm &&
    (async (request, signal) => {
      const resume = timer.pause()
      try {
        return await confirm(request, signal)
      } finally {
        resume()
      }
    })
  )
}

type Outcome = ToolOutcome extends infer One ? (One extends ToolOutcome ? Omit<One, "durationMs"> : never) : never

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

function timeoutReason(tool: Tool, timeoutMs: number): DOMException {
  return new DOMException(`Tool "${tool.name}" took longer than ${timeoutMs} ms.`, "TimeoutError")
}
