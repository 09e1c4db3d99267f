import type { PromptStrataError } from "../../core/errors.ts"
import { recordOf } from "../../core/json-access.ts"
import { addUsage, type LanguageModel, type Usage } from "../../core/model/language-model.ts"
import { defined, filled, isEmptyValue } from "../../core/value.ts"
import type { UnopenedFile } from "../../prompt/layers/turn-state.ts"
import { bubbleMark } from "../../reply/output/bubble-reader.ts"
import type { ChildTrace, TurnTrace, TurnWarning } from "../../trace/trace.ts"
import type { TurnAnswer, TurnResult } from "../../trace/turn-event.ts"
import { type TurnContext, warn } from "./turn-context.ts"

/** The reason why a turn stopped, and the calls that an open one waits for. */
type TurnEnd = Pick<TurnAnswer, "stopReason" | "approvals" | "calls">

/** Ends a turn that has an answer, or was left open. Text that was held back is shown now. */
export function succeed(turn: TurnContext, { stopReason, ...waiting }: TurnEnd): TurnAnswer {
  const { input, progress } = turn
  const { answer, hooks, output } = progress
  const isOpen = progress.open.step !== undefined
  answer.end({ isWhole: true })
  if (input.wake !== undefined && !answer.hasShown && !isOpen) turn.emit({ type: "empty-reply" })
  const { text, attachments, unopened } = answer
  for (const { written, fault } of unopened) warn(turn, "file", `The answer shows ${written}, which was not opened: ${fault}.`)
  const again = JSON.stringify(answer.limiter?.repeated || undefined)
  if (again) warn(turn, "model", `The answer repeated ${again} of the text that it goes on with; it is left out.`)
  // For the next turn, in place of those of the last turn.
  if (unopened.length > 0 || hooks.states.has(stateName)) hooks.states.set(stateName, unopened)
  const trace = traceOf(turn)
  return {
    ...{ ok: true, text },
    // A schema's value may be undefined.
    ...(output && !isOpen && { output: output.value }),
    ...waiting,
    ...defined({ attachments: filled(attachments) }),
    ...{ stopReason: isOpen ? stopReason : (answer.limiter?.ended ?? stopReason), usage: trace.usage, trace },
  }
}

/** Ends a turn that failed. The result keeps everything that was gathered so far (T19). */
export function fail(turn: TurnContext, error: PromptStrataError): TurnResult {
  const { answer, runs } = turn.progress
  answer.end({ isWhole: false })
  return { ok: false, error, gathered: { runs, text: answer.text }, trace: traceOf(turn, error) }
}

/** True if the answer so far has neither words nor files of the model, and may have more. Marks between bubbles are no words (R9). */
export function isBlankAnswer({ agent, progress }: TurnContext): boolean {
  const { said } = progress.output ?? progress.answer
  const words = agent.profile.output.bubbles ? said.replaceAll(bubbleMark, "") : said
  return words.trim() === "" && progress.answer.limiter?.ended === undefined && progress.files.made.length === 0
}

/** The trace of a turn as far as it has come. */
export function traceOf(turn: TurnContext, error?: PromptStrataError): TurnTrace {
  const { input, process, startedMs, agent, progress } = turn
  const { key, turnId, wake, merged, received } = input
  const { colour } = agent.profile.agent
  const { found, runs, log } = progress
  const { steps, warnings, records, unreported } = log
  let usage: Usage = {}
  for (const step of steps) if (step.usage) usage = addUsage(usage, step.usage)
  const children: ChildTrace[] = []
  for (const child of log.children) {
    const trace = child.trace()
    children.push({ id: child.id, name: child.name, trace })
    usage = addUsage(usage, trace.usage)
  }
  return defined({
    ...{ turnId, process, colour, wake, received, merged: merged && { turns: merged.turns, waited: merged.waited } },
    key: { agent: key.agent, conversation: key.conversation, audience: key.audience },
    startedMs,
    durationMs: agent.ports.clock.nowMs() - startedMs,
    prestart: found.prestartRuns,
    recalled: filled(found.memories),
    unreported: filled(unreported),
    ...{ steps, runs, warnings, records, children, usage, error },
  })
}

/** The name under which unopened files are kept beside the states of hooks. A hook of this name would share it. */
const stateName = "file-references"

/** The files that the last turn could not open (R8). A stored state of another form counts as none. */
export function fileFaultsOf(hookStates: Readonly<Record<string, unknown>>): readonly UnopenedFile[] {
  const kept = hookStates[stateName]
  return Array.isArray(kept) ? kept.filter(isUnopened) : []
}

function isUnopened(value: unknown): value is UnopenedFile {
  const { written, fault } = recordOf(value)
  return typeof written === "string" && typeof fault === "string"
}

const faultWords = {
  unclosed: "ended inside a thought that it did not close; all behind its beginning was taken for thinking.",
  unopened: "closed a thought that it had not opened; the tag was removed. If it begins in thought, say `opensInThought`.",
  "within-line": "wrote thinking tags within a line of its answer; they and what stood between them were taken out.",
}

/** Tells that the model wrote a name twice in one decision. */
export function warnOfRepeatedName(turn: TurnContext, name: string): void {
  warn(turn, "model", `The model wrote ${JSON.stringify(name)} twice in one decision or call. Only its first value counts.`)
}

/** Tells what thinking tags did to an answer (T22). */
export function warnOfThinking(turn: TurnContext, model: LanguageModel, fault: keyof typeof faultWords): void {
  warn(turn, "model", `${model.id} ${faultWords[fault]}`)
}

/** True if the agent is at work (R4): the variable `work_mode` is set, by the profile or for this turn. */
export function isAtWork({ stack }: TurnContext): boolean {
  const item = stack.get("work_mode")
  return item?.enabled === true && !isEmptyValue(item.content)
}

/** True if silence ends the turn at once (R27): nobody spoke, and an agent at work does not chat. */
export function isQuietWake(turn: TurnContext): boolean {
  return turn.input.wake !== undefined && isAtWork(turn)
}

/** Warns of `subject` the first time only: the request of a later step has the same fault. */
export function warnOnce(turn: TurnContext, kind: TurnWarning["kind"], subject: string, message: string): void {
  const said = `${kind} ${subject}`
  if (turn.progress.log.warnedOf.has(said)) return
  turn.progress.log.warnedOf.add(said)
  warn(turn, kind, message)
}
