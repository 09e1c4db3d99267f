import { messageOf } from "../../core/errors.ts"
import { mapTextValues } from "../../core/json-access.ts"
import { quoted, renderNotice } from "../../prompt/dialect/render-notice.ts"
import { encodeInline, encodeJsonLine } from "../../prompt/encode/inline.ts"
import { canonicalArguments } from "../../prompt/tools/call-arguments.ts"
import { hasEnded, type Tool, type ToolRun } from "../../prompt/tools/tool.ts"
import { findMentions, lastMessagesOf } from "../../reply/mentions.ts"
import * as fitting from "./fit-tool-text.ts"
import { isOver, openTurnIn } from "./open-turn/open-turn.ts"
import { runTool } from "./run-tool.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { warnOfRepeatedName, warnOnce } from "./turn-outcome.ts"
import type { ModelCall } from "./turn-progress.ts"

/**
 * Runs a call of the model and emits its events, which a tool that runs outside does not have. A repeated call gets the earlier result with a note; a call whose earlier run
 * failed is made again (T17). Never rejects.
 */
export async function runCall(turn: TurnContext, guard: CallGuard, call: ModelCall): Promise<ToolRun> {
  const { id, name, args, fault, repeatedName } = call
  const tool = turn.progress.tools.plannerTool(name)
  turn.progress.fitting ??= fitting
  if (!tool?.outside) turn.emit({ type: "tool-start", id, tool: name, args })
  const identity = `${name}\n${canonicalArguments(args)}`
  const claimed = claim(guard, { identity, tool }, () => {
    if (fault !== undefined) return Promise.resolve(unreadableArguments(turn, { id, name, fault }))
    const given = { id, name, args: resolveMentions(turn, args, tool), tool, journal: turn.input.journal }
    return runTool(turn, { ...given, canWait: mayWait(turn, guard, tool) })
  })
  const result = await claimed.run
  const failed = result.status === "failed"
  if (failed && guard.calls.get(identity)?.run === claimed.run) guard.calls.delete(identity)
  if (claimed.isRepeat && !failed) guard.repeats++
  // It has not ended: the turn that goes on with it tells its end.
  if (!hasEnded(result)) return { ...result, id }
  const own = claimed.isRepeat ? repeated(turn, id, result) : result
  const done = repeatedName === undefined ? own : { ...own, result: withRepeatedName(turn, own.result, repeatedName) }
  if (!tool?.outside) turn.emit({ type: "tool-end", run: done })
  tellHooks(turn, done)
  return done
}

function withRepeatedName(turn: TurnContext, result: string, name: string): string {
  warnOfRepeatedName(turn, name)
  return renderNotice(turn.agent.dialect, "repeated-name", { result, name: encodeInline(name) })
}

/** Calls the run listeners of hooks. One that throws is reported. */
export function tellHooks(turn: TurnContext, run: ToolRun): void {
  // One that a listener adds hears the runs after this one.
  for (const listener of [...turn.progress.hooks.runListeners]) {
    try {
      listener(run)
    } catch (thrown) {
      warn(turn, "hook", `A hook could not take in the run of ${run.tool}: ${messageOf(thrown)}`)
    }
  }
}

function repeated(turn: TurnContext, id: string, earlier: ToolRun): ToolRun {
  const result = renderNotice(turn.agent.dialect, "repeated-call", { result: earlier.result })
  return { ...earlier, id, repeatOf: earlier.repeatOf ?? earlier.id, result, durationMs: 0 }
}

function unreadableArguments(
  turn: TurnContext,
  { id, name, fault }: Pick<ModelCall, "id" | "name"> & { readonly fault: NonNullable<ModelCall["fault"]> },
): ToolRun {
  const { dialect } = turn.agent
  const result = renderNotice(dialect, "invalid-arguments", { ...fault, issues: quoted(fault.issues, dialect) })
  return { id, tool: name, args: {}, status: "failed", failure: "invalid-arguments", result, durationMs: 0 }
}

/**
 * True where a turn may end in front of a call: in planning, and for a person's answer only if the session is kept. A wake may not while another
 * turn waits, whose question it would withdraw.
 */
function mayWait({ agent, depth, input, record }: TurnContext, { canWait }: CallGuard, tool: Tool | undefined): boolean {
  const { ports, profile } = agent
  const open = input.wake === undefined ? undefined : openTurnIn(record?.state)
  if (!canWait || depth > 0 || open?.calls.some((call) => !isOver(call, ports.clock.nowMs(), profile.limits))) return false
  return agent.isStateless !== true || tool?.outside === true
}

/** The calls of a turn that did not fail, also those that still run, so that an equal call is not run again (T17). */
export interface CallGuard {
  readonly calls: Map<string, { readonly run: Promise<ToolRun>; readonly writes: number; readonly isUnknown?: boolean }>
  /** Calls so far of tools that write. */
  writes: number
  /** Repeats so far of calls that did not fail. */
  repeats: number
  /** True if a call may wait for a person. */
  readonly canWait?: boolean
}

/**
 * Returns the earlier run that a call repeats, or else starts a new one. A call of a repeatable tool is never a repeat, and a call
 * after a write is none either. A call that was cut off by a crash is never made again.
 */
function claim(
  guard: CallGuard,
  { identity, tool }: { readonly identity: string; readonly tool: Tool | undefined },
  start: () => Promise<ToolRun>,
): { readonly run: Promise<ToolRun>; readonly isRepeat: boolean } {
  const earlier = guard.calls.get(identity)
  if (earlier?.isUnknown || (earlier && tool?.repeatable !== true && earlier.writes === guard.writes)) {
    return { run: earlier.run, isRepeat: true }
  }
  if (tool?.writes === true) guard.writes++
  const run = start()
  guard.calls.set(identity, { run, writes: guard.writes })
  return { run, isRepeat: false }
}

type Args = Readonly<Record<string, unknown>>

/**
 * Replaces each `@last_NAME` and `@last_N_NAME` in a call's arguments by the messages it stands for (R7), joined by line breaks.
 * They are looked up in this turn's window and question. A mention of an unknown speaker stays as it is and is reported. If the
 * profile has no mentions, the arguments are returned as they are. For a tool that is an agent, each message is quoted with its
 * speaker, so that another person's words do not stand in the order as the caller's own.
 */
function resolveMentions(turn: TurnContext, args: Args, tool: Tool | undefined): Args {
  if (turn.agent.profile.tools.mentions !== true) return args
  const isOrder = tool?.runsAgent === true
  const said = spokenIn(turn)
  const names = new Set(said.map(({ name }) => name))
  const inText = (text: string): string => {
    if (!text.includes("@last_")) return text
    const { mentions, unknown } = findMentions(text, names)
    for (const { text: mark } of unknown)
      warnOnce(turn, "mention", mark, `${mark} in a call names no speaker of the messages in this turn. It was left as it is.`)
    let resolved = ""
    let from = 0
    for (const { start, end, name, count } of mentions) {
      const messages = lastMessagesOf(said, { name, count }).map((message) =>
        isOrder ? quotedMessage(turn, message) : message.text,
      )
      resolved += text.slice(from, start) + messages.join(isOrder ? " " : "\n")
      from = end
    }
    return resolved + text.slice(from)
  }
  return mapTextValues(args, inText) as Args
}

function quotedMessage({ agent }: TurnContext, { name, text }: Utterance): string {
  return renderNotice(agent.dialect, "quoted-message", { name: encodeInline(name), text: encodeJsonLine(text) })
}

type Utterance = { readonly name: string; readonly text: string }

function spokenIn({ agent, input, history }: TurnContext): Utterance[] {
  const agentName = agent.profile.agent.name
  const before = history.map(({ role, speaker, text }) => ({ name: role === "assistant" ? agentName : speaker.name, text }))
  return input.wake === undefined ? [...before, { name: input.speaker.name, text: input.text }] : before
}
