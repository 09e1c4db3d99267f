import { messageOf } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import type { Timers } from "../../core/ports.ts"
import { orAborted, type PausableTimer, startPausableTimer } from "../../core/timers.ts"
import { endsOf } from "../encode/text-ends.ts"
import { printJson } from "./print-json.ts"
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
export async function executeTool(tool: Tool, args: unknown, options: ExecuteToolOptions): Promise<ToolOutcome> {
  const { context, timers, signal: given } = options
  const { clock } = context
  const startedMs = clock.nowMs()
  const timeoutMs = options.callTimeoutMs ?? tool.timeoutMs ?? options.timeoutMs
  const controller = new AbortController()
  const { signal } = controller
  const onAbort = (): void => controller.abort(given.reason)
  if (given.aborted) onAbort()
  given.addEventListener("abort", onAbort)
  const onTimeout = (): void =>
    controller.abort(new DOMException(`Tool "${tool.name}" took longer than ${timeoutMs} ms.`, "TimeoutError"))
  const timer = startPausableTimer({ clock, timers }, timeoutMs, onTimeout, { startedMs })
  const confirm = context.confirm && whilePaused(timer, context.confirm)
  const progress: ToolContext["progress"] = (share) => {
    if (options.callTimeoutMs === undefined) timer.restart()
    context.progress?.(share)
  }
  let outcome: Outcome
  try {
    signal.throwIfAborted()
    outcome = await orAborted(run(tool, args, { ...context, confirm, progress, signal }, options), signal)
  } catch (thrown) {
    const ended: ToolFailure = given.aborted ? { kind: "aborted" } : { kind: "timeout", timeoutMs }
    outcome = { status: "failed", failure: signal.aborted ? ended : { kind: "threw", reason: messageOf(thrown) } }
  } finally {
    timer.clear()
    given.removeEventListener("abort", onAbort)
  }
  return { ...outcome, durationMs: clock.nowMs() - startedMs }
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

/**
 * Turns any returned value into text. A string stays as it is, `undefined` and `null` become `""`, the parts of an MCP-style
 * `{ content: [{ type: "text", text }, …] }` are joined by newlines, everything else is JSON (see `printJson`). Never throws.
 */
export function normaliseResult(value: unknown): string {
  if (typeof value === "string") return value
  if (value === undefined || value === null || typeof value === "function") return ""
  if (typeof value === "symbol") return String(value)
  try {
    const parts = contentParts(value)
    return parts === undefined ? printJson(value) : parts.map(partText).join("\n")
  } catch {
    return printJson(value)
  }
}

type ContentPart = Readonly<Record<string, unknown>>

/** Returns the parts of an MCP-style result. Structured content without parts is treated as any other value. */
function contentParts(value: unknown): readonly ContentPart[] | undefined {
  if (!isRecord(value) || !Array.isArray(value.content)) return undefined
  if (!value.content.every((part) => isRecord(part) && typeof part.type === "string")) return undefined
  return value.content.length === 0 && value.structuredContent !== undefined ? undefined : value.content
}

/** A binary part is described without its data. */
function partText(part: ContentPart): string {
  if (part.type === "text" && typeof part.text === "string") return part.text
  if (part.type === "resource" && isRecord(part.resource) && typeof part.resource.text === "string") return part.resource.text
  return printJson(withoutData(part))
}

function withoutData(part: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const described = Object.entries(part).filter(([key]) => key !== "data" && key !== "blob")
  return Object.fromEntries(described.map(([key, value]) => [key, isRecord(value) ? withoutData(value) : value]))
}

/** Makes the visible notice that replaces the cut middle of a text. Both counts are in code points. */
export type CapNotice = (kept: number, total: number) => string

/** The limit of a result when the tool sets none, in code points. */
export const defaultMaxResultCharacters = 20_000

/**
 * Cuts the middle out of a text of more than `maxCharacters` code points. The first 70 % and the last 20 % of that number
 * stay, with the notice between them. Cuts fall between graphemes, so slightly less may stay.
 * `cappedFromCharacters` is the length before the cut, in code points; absent when nothing was cut.
 */
export function capResult(
  text: string,
  maxCharacters: number,
  notice: CapNotice,
): { readonly text: string; readonly cappedFromCharacters?: number } {
  const ends = text.length <= maxCharacters ? undefined : endsOf(text, maxCharacters)
  if (ends === undefined) return { text }
  const { head, tail, keptHead, keptTail, total } = ends
  return { text: head + notice(keptHead + keptTail, total) + tail, cappedFromCharacters: total }
}
