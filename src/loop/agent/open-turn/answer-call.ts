import type { ServiceKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { orAborted } from "../../../core/timers.ts"
import type { Injection } from "../../../core/value.ts"
import type { SessionRecord } from "../../../memory/services/store/session-store.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../../prompt/encode/inline.ts"
import { toInjection } from "../../../prompt/stack/injection.ts"
import type { TemplateValues } from "../../../prompt/template/render.ts"
import { printArguments } from "../../../prompt/tools/call-arguments.ts"
import type { Approval, ApprovalAnswer } from "../../../prompt/tools/tool.ts"
import {
  answeredKey,
  isNamed,
  isOver,
  type OpenCall,
  type OpenTurn,
  openTurnIn,
  type ResumedTurn,
  shownApproval,
  withOpenTurn,
  withoutOpenTurn,
} from "../../turn/open-turn/open-turn.ts"
import type { AgentContext, TurnInput } from "../../turn/turn-context.ts"
import { emptyRecord, type Replacement, type SessionAtRest, sessionState } from "../queue/turn-states.ts"
import { jobsFor } from "../second-thoughts/set-aside.ts"

/** The approvals of a session that wait, those of calls whose outcome is unknown, and those that came too late for an answer. */
export function approvalsOf({ session: { agent }, record }: SessionAtRest): readonly Approval[] {
  const open = openTurnIn(record?.state)
  return (
    open?.calls.filter(({ outside }) => !outside).map((call) => shownApproval(call, open.speaker, agent.profile.limits)) ?? []
  )
}

/** The answer of a person to an approval, which is named by its id or its code. */
interface GivenAnswer extends ApprovalAnswer {
  readonly id: string
  /** The id of the person; undefined for the program itself. */
  readonly by: string | undefined
}

/**
 * The beginning of the turn that goes on with an answer. Throws `approval` for an id that waits for no answer. Nothing is written yet:
 * the turn takes the calls for itself once it knows that it can run them.
 */
export async function answered(at: SessionAtRest, { id: named, by, ...answer }: GivenAnswer): Promise<Replacement> {
  const { record = emptyRecord } = at
  const { open, call } = requireOpen(record, named)
  if (answer.approved && (answer.result !== undefined) !== (call.outside === true)) throw refusal("unknown", named)
  const { id } = call
  const { ports, profile } = at.session.agent
  if (by !== undefined && by !== open.speaker.id) throw refusal("not-asked", id, call)
  if (isOver(call, ports.clock.nowMs(), profile.limits)) throw refusal("expired", id, call)
  const calls = open.calls.map((call) => (call.id === id ? { ...call, answer } : call))
  const words = record.history.find(({ turnId, role }) => turnId === open.turnId && role === "user")
  const from = words ? record.history.indexOf(words) : 0
  const { speaker, wake, wakeTrust, inject } = open
  const key: ServiceKey = { ...at.session.key, user: speaker.id }
  const { text = "", attachments = [], replyTo, mentions } = words ?? {}
  const resumes = resumed(at, { ...open, calls }, id)
  return {
    // The words are the turn's question and no part of the history before it. Those that wait have turns of their own.
    record: {
      ...record,
      history: record.history.filter(({ turnId, toAnswer }, at) => turnId !== open.turnId && (toAnswer !== true || at < from)),
      state: withoutOpenTurn(record.state),
    },
    input: {
      ...{ key, speaker, text, attachments, replyTo, mentions, inject, wake, wakeTrust, resumes },
      kept: words?.toAnswer ? { turnId: open.turnId } : undefined,
      // Words that were heard meanwhile stand behind the turn, which then cannot grow.
      ...(resumes.isLast ? { turnId: open.turnId } : {}),
    },
  }
}

function requireOpen({ state }: SessionRecord, id: string): { readonly open: OpenTurn; readonly call: OpenCall } {
  const open = openTurnIn(state)
  const call = open?.calls.find((each) => isNamed(each, id))
  if (open === undefined || call === undefined) {
    const settled: unknown = state[answeredKey]
    const isSettled = Array.isArray(settled) && settled.some((each) => isNamed({ id: String(each) }, id))
    throw refusal(isSettled ? "answered" : "unknown", id)
  }
  if (open.claimedUntilMs !== undefined) throw refusal("claimed", id, call)
  if (call.answer !== undefined) throw refusal("answered", id, call)
  return { open, call }
}

const reasons = {
  unknown: "is not one of this conversation.",
  answered: "was answered before, or withdrawn.",
  claimed: "was allowed before: its call runs elsewhere, or was cut off, and nobody knows whether it ended.",
  expired: "has waited too long for an answer (`approval_ms` under `[limits]`).",
  "not-asked": "is for another person to answer.",
}

function refusal(fault: keyof typeof reasons, id: string, call?: OpenCall): PromptStrataError {
  return new PromptStrataError("approval", `The approval ${JSON.stringify(id)} ${reasons[fault]}`, {
    hint:
      fault === "unknown"
        ? "Use the id and the conversation of `result.approvals`; `session.approvals()` lists those that wait."
        : "The call is not run again. `session.approvals()` lists those that wait; a new message goes on with the conversation.",
    evidence: { fault, id, tool: call?.tool },
  })
}

/** The writes of a turn that goes on: each names the version before it, so that only one process can make it. */
function resumed(
  { session: { agent, key }, record = emptyRecord, signal }: SessionAtRest,
  open: OpenTurn,
  id: string,
): ResumedTurn {
  let { version } = record
  const write = async (waiting: OpenTurn): Promise<void> => {
    const commit = { expectVersion: version, append: [], state: withOpenTurn(record.state, waiting), jobs: [] }
    version = (await orAborted(agent.store.commit(key, commit), signal)).version
  }
  let claimed = open
  return {
    open,
    saidMs: record.history.find(({ turnId, role }) => turnId === open.turnId && role === "user")?.atMs,
    kept: keptRunIds(record),
    isLast: record.history.at(-1)?.turnId === open.turnId,
    version: () => version,
    async claim(untilMs) {
      claimed = { ...open, claimedUntilMs: untilMs }
      try {
        await write(claimed)
      } catch (thrown) {
        if (!PromptStrataError.isInstance(thrown) || thrown.code !== "session-conflict") throw thrown
        requireOpen((await orAborted(agent.store.load(key), signal)) ?? emptyRecord, id)
        throw thrown
      }
    },
    // Nothing runs any more, so that nobody has to wait.
    ran: (runs) => write({ ...claimed, claimedUntilMs: 0, step: { ...open.step, runs } }),
  }
}

/** How often a message that waits looks whether it still has to. */
const lookMs = 250

/**
 * The beginning of a turn with new words while a call waits for an approval, or how long it has to wait before it looks again. A call that
 * runs in another process is waited for in any case.
 */
export async function besideOpen(
  at: SessionAtRest,
  input: TurnInput,
): Promise<Replacement | { readonly waitMs: number } | undefined> {
  const { session, record } = at
  const open = openTurnIn(record?.state)
  if (record === undefined || open === undefined) return undefined
  const { agent, key } = session
  const nowMs = agent.ports.clock.nowMs()
  const { limits, tools } = agent.profile
  const mayBeAnswered = open.calls.some((call) => !call.answer && !call.outside && !isOver(call, nowMs, limits))
  const waits = open.claimedUntilMs === undefined ? tools.whileAsked === "wait" && mayBeAnswered : nowMs < open.claimedUntilMs
  if (waits) return { waitMs: lookMs }
  // Many words may have been heard since.
  const history = (await orAborted(agent.store.load(key), at.signal))?.history ?? []
  const words = history.filter(({ turnId }) => turnId === open.turnId && !open.forgot)
  const withdrawn = jobsFor({ agent, key, record }, words, sessionState(record).turns)
  return {
    record: { ...record, state: withoutOpenTurn(record.state) },
    input: { inject: [...input.inject, ...toldOf(agent, open, keptRunIds(record))], withdrawn },
  }
}

/** The ids of the runs that the history has. */
function keptRunIds({ history }: SessionRecord): ReadonlySet<string> {
  return new Set(history.flatMap(({ runs = [] }) => runs.map(({ id }) => id)))
}

/** The key of the item that tells what became of calls that waited. */
const toldKey = "withdrawn_approval"

function toldOf({ dialect, tools }: AgentContext, open: OpenTurn, kept: ReadonlySet<string>): Injection[] {
  const { calls, step, runs, claimedUntilMs } = open
  const told = (values: TemplateValues) => renderNotice(dialect, "approval-withdrawn", values)
  const lines = calls.map(({ callId, summary, answer }) => {
    const run = step.runs[step.planned.findIndex(({ id }) => id === callId)]
    const isUnknown = claimedUntilMs !== undefined && answer?.approved === true
    const result = run?.failure === "threw" ? renderNotice(dialect, "tool-threw", { reason: run.result }) : run?.result
    const ran = run?.failure === "denied" ? "" : encodeInline(result ?? "")
    const isNotRun = run ? run.failure === "denied" : !isUnknown
    return told({ call: encodeInline(summary), ran, unknown: !run && isUnknown, not_run: isNotRun })
  })
  const known = new Set([...kept, ...calls.map(({ callId }) => callId)])
  for (const run of [...runs, ...step.runs]) {
    if (run?.status !== "ok" || known.has(run.id) || tools.get(run.tool)?.writes === false) continue
    lines.push(told({ call: encodeInline(`${run.tool}(${printArguments(run.args)})`), done: encodeInline(run.result) }))
  }
  const item = toInjection({ key: toldKey, content: lines.join("\n"), scope: "turn" })
  return item === undefined ? [] : [item]
}
