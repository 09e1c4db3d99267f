import type { KeptPrestart, Speaker } from "../../../core/conversation.ts"
import { hashText } from "../../../core/fingerprint.ts"
import { defined, filled, type Injection, type Trust } from "../../../core/value.ts"
import { openTurnKey } from "../../../memory/services/store/waiting-turn.ts"
import type { Profile } from "../../../profile/profile.ts"
import type { PlannerStep } from "../../../prompt/layers/turn-state.ts"
import { printJson } from "../../../prompt/tools/print-json.ts"
import type { Approval, Tool, ToolRun } from "../../../prompt/tools/tool.ts"
import type { AnswerLimit } from "../../../reply/output/answer-limit.ts"
import type { UnfinishedStep } from "../turn-progress.ts"

/** A call that waits, as the session's state keeps it. */
export interface OpenCall extends Omit<Approval, "code" | "from" | "untilMs"> {
  /** The hash of the tool's definition. Another one would be another tool. */
  readonly definition: string
  /** True if the turn waits for its result and not for a person. */
  readonly outside?: true | undefined
  /** The hashes of the questions that the call has asked in the middle of its work, the one that waits last. */
  readonly questions?: readonly string[]
}

/** A turn that waits for answers to its calls, in the session's state under {@link openTurnKey}. Its words are in the history. */
export interface OpenTurn {
  readonly turnId: string
  readonly speaker: Speaker
  readonly wake?: string
  readonly wakeTrust?: Trust
  /** Items that were given with the turn. */
  readonly inject: readonly Injection[]
  readonly prestart: readonly KeptPrestart[]
  readonly runs: readonly ToolRun[]
  readonly steps: readonly PlannerStep[]
  readonly step: UnfinishedStep
  readonly calls: readonly OpenCall[]
  /** The bounds that the caller gave the answer. */
  readonly answerLimit?: AnswerLimit
  /** True if something was forgotten in the turn. */
  readonly forgot?: boolean
  /**
   * Present once a process began to run the allowed calls, which are then never begun again. Until this moment, in milliseconds since
   * 1970, they may still run; later their outcome is unknown unless `step` has their runs.
   */
  readonly claimedUntilMs?: number
}

/** A turn that goes on with an answer to a call. */
export interface ResumedTurn {
  readonly open: OpenTurn
  /** The time of the turn's words. */
  readonly saidMs: number | undefined
  /** Takes the calls for this process, in the store. Throws `approval` if another one was faster. */
  claim(untilMs: number): Promise<void>
  /** Keeps the runs of the step, so that they are known if the turn ends without an answer. */
  ran(runs: readonly ToolRun[]): Promise<void>
  /** The version of the session as this turn last wrote it. */
  version(): number
  /** The ids of the runs that the history has. */
  readonly kept: ReadonlySet<string>
  /** True if the turn's words are at the end of the history, so that its answer can stand behind them under one id. */
  readonly isLast: boolean
}

/** The member of a session's state that holds the ids of the approvals that were answered last. */
export const answeredKey = "answeredApprovals"

/** The hash of everything of a tool that its caller relied on. */
export function definitionOf({ name, description, inputSchema, writes }: Tool): string {
  return hashOf({ name, description, inputSchema, writes })
}

/** The hash of a value that is plain JSON. */
export function hashOf(value: unknown): string {
  const { low, high } = hashText(printJson(value, { canonical: true }))
  return `${low}:${high}`
}

/** The waiting turn in a session's state; undefined if there is none. */
export function openTurnIn(state: Readonly<Record<string, unknown>> | undefined): OpenTurn | undefined {
  const open = state?.[openTurnKey] as Partial<OpenTurn> | undefined
  return Array.isArray(open?.calls) && Array.isArray(open.step?.planned) ? (open as OpenTurn) : undefined
}

/** True for a call that can no longer be answered. */
export function isOver({ askedMs, answer }: OpenCall, nowMs: number, { approvalMs }: Profile["limits"]): boolean {
  return answer === undefined && nowMs > askedMs + approvalMs
}

/** A session's state with a turn that waits. */
export function withOpenTurn(state: Readonly<Record<string, unknown>>, open: Partial<OpenTurn>): Record<string, unknown> {
  return { ...state, [openTurnKey]: JSON.parse(JSON.stringify(open)) }
}

/** A session's state without its waiting turn, whose approvals count as answered from then on. */
export function withoutOpenTurn(state: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { [openTurnKey]: _, ...rest } = state
  const open = openTurnIn(state)
  if (open === undefined) return rest
  const before = Array.isArray(rest[answeredKey]) ? (rest[answeredKey] as readonly string[]) : []
  return { ...rest, [answeredKey]: [...before, ...open.calls.map(({ id }) => id)].slice(-20) }
}

/** An approval for the caller, of a turn that a person began. */
export function shownApproval(
  { definition: _, outside: __, questions: ___, ...call }: OpenCall,
  from: Speaker,
  { approvalMs }: Profile["limits"],
): Approval {
  return { ...call, code: approvalCode(call.id), from, untilMs: call.askedMs + approvalMs }
}

/** The end of an open turn's result, with those of its calls that wait: for the answer of a person, and for a result from outside. */
export function waitingIn(calls: readonly OpenCall[], from: Speaker, limits: Profile["limits"]) {
  const waiting = calls.filter(({ answer }) => answer === undefined)
  const asked = waiting.filter(({ outside }) => !outside).map((call) => shownApproval(call, from, limits))
  const outside = waiting.filter((call) => call.outside).map(({ callId: id, tool, args }) => ({ id, tool, args }))
  return { ...defined({ approvals: filled(asked), calls: filled(outside) }), stopReason: "awaiting-approval" } as const
}

const [letters, digits] = ["BCDFGHJKLMNPQRSTVWXZ", "23456789"]

/** The short name of an approval: letters and digits by turns, three of each, which make no word. */
function approvalCode(id: string): string {
  let { low } = hashText(id)
  return Array.from({ length: 6 }, (_, at) => {
    const signs = at % 2 === 0 ? letters : digits
    const sign = signs[(low >>> 0) % signs.length]
    low = Math.floor((low >>> 0) / signs.length)
    return sign
  }).join("")
}

/** True for the id of an approval, and for its code. A call that runs outside has the id of the call alone. */
export function isNamed({ id, callId, outside }: Pick<OpenCall, "id"> & Partial<OpenCall>, by: string): boolean {
  return outside ? callId === by : id === by || approvalCode(id) === by
}
