import type { HistoryMessage, KeptRun, Speaker } from "../../core/conversation.ts"
import { messageOf } from "../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import { recordOf } from "../../core/json-access.ts"
import { defined, filled } from "../../core/value.ts"
import type { CommittedTurn } from "../../memory/services/background/background-job.ts"
import { frozenJson } from "../../memory/services/store/frozen-json.ts"
import type { Job } from "../../memory/services/store/job-runner.ts"
import type { SessionCommit } from "../../memory/services/store/session-store.ts"
import type { ContextSettings, HistorySettings } from "../../profile/profile.ts"
import { isSentence, type ToolRun } from "../../prompt/tools/tool.ts"
import type { TurnAnswer } from "../../trace/turn-event.ts"
import type { AgentContext, TurnContext, TurnProgress } from "../turn/turn-context.ts"

/** The commit of a turn that has an answer: its messages, the state of its session, and the jobs that follow. */
export function commitOf(turn: TurnContext, result: TurnAnswer): SessionCommit {
  const { agent, input, record, session, stack, progress } = turn
  const { replaces } = input
  const { states, takenNotes } = progress.hooks
  const taken = [...(replaces?.taken ?? []), ...takenNotes]
  const append = spokenMessages(turn, result)
  return {
    expectVersion: record?.version ?? 0,
    append,
    state: {
      ...record?.state,
      turns: session.turns + 1,
      stack: stack.items("session"),
      ...defined({ markerId: session.markerId, hooks: states.size > 0 ? Object.fromEntries(states) : undefined }),
    },
    jobs: agent.jobs.length === 0 ? [] : [...(input.withdrawn ?? []), ...jobsAfter(agent, committedTurn(turn, append))],
    ...defined({ taken: filled(taken), after: replaces?.after, keepHeard: replaces && true }),
  }
}

/**
 * The messages that enter history (T29): the user's with kept prestart results and tool runs, and the answer. Thinking and injections
 * never do. In a turn in which nobody spoke it is only the answer (R27).
 */
function spokenMessages(turn: TurnContext, { stopReason, text: shown }: TurnAnswer): HistoryMessage[] {
  const { agent, input, progress, startedMs } = turn
  const { profile, ports } = agent
  const { turnId, speaker, text, wake, attachments, replyTo, mentions = [], merged, kept: before } = input
  const self: Speaker = { id: input.key.agent, name: profile.agent.name }
  const made = filled(progress.files.made)
  const interrupted = stopReason === "truncated" || undefined
  const all = input.journal?.said ? `${input.journal.said}\n\n${progress.answer.kept}` : progress.answer.kept
  const said = { role: "assistant", text: all, speaker: self, turnId, atMs: ports.clock.nowMs() } as const
  const answer: HistoryMessage = { ...said, ...defined({ interrupted, attachments: made }) }
  const forgot = hasForgotten(turn)
  const kept = forgot ? [] : keptRuns(progress, profile.history.toolRuns)
  const runs = filled(kept)
  const withRuns = runs ? { runs } : {}
  if (wake !== undefined) return shown.trim() === "" && !answer.attachments ? [] : [{ ...answer, unprompted: true, ...withRuns }]
  const answers = [...(merged?.turns ?? []), ...(before ? [before.turnId] : [])]
  if (before) return [{ ...answer, ...withRuns, answers, replyTo: { id: `${before.turnId}:0`, speaker } }]
  const recalled = progress.found.memories.length > 0 && !forgot ? keepRecalled(progress.found.memories, profile.context) : []
  const beside = defined({
    ...{ attachments: filled(attachments), replyTo, mentions: filled(mentions), prestart: filled(progress.found.kept) },
    ...{ recalled: filled(recalled), answers: filled(answers), runs },
  })
  return [{ role: "user", text, speaker, turnId, atMs: input.resumes?.saidMs ?? startedMs, ...beside }, answer]
}

/** The jobs that a turn about to be committed asks for, each with an id that begins with `id`. A job that throws is reported, and the turn goes on. */
export function jobsAfter(agent: AgentContext, turn: CommittedTurn, id = turn.turnId): readonly Job[] {
  const { key, turnId } = turn
  const jobs: Job[] = []
  for (const job of agent.jobs) {
    const { kind } = job
    try {
      const given = job.afterTurn?.(turn)
      if (given === undefined) continue
      const payload = frozenJson(given, "payload")
      const quiet = job.mayWait?.(turn) || undefined
      jobs.push({ id: `${id}:${kind}`, kind, key, turnId, atMs: agent.ports.clock.nowMs(), ...defined({ quiet }), payload })
    } catch (error) {
      agent.onWarning({ key, turnId, message: `The job ${kind} was not enqueued: ${messageOf(error)}` })
    }
  }
  return jobs.sort((a, b) => Number(a.quiet ?? false) - Number(b.quiet ?? false))
}

/** The turn as jobs see it: without tool results and recalled memories, so that nothing is learnt from injected context (T35). */
function committedTurn(turn: TurnContext, messages: readonly HistoryMessage[]): CommittedTurn {
  const { agent, input, session, progress } = turn
  const { runs, found, tools, hooks } = progress
  const spoken: HistoryMessage[] = []
  for (const { prestart: _, recalled: __, runs: ___, spent: ____, ...message } of messages) spoken.push(Object.freeze(message))
  let untrusted = false
  // True if a tool ran whose texts are not the author's own, such as one of an MCP server.
  for (const { tool } of [...runs, ...found.prestartRuns]) untrusted ||= tools.get(tool)?.trust === "tool"
  const cut = progress.cut?.memories
  // A cut leaves the first memories.
  const left = cut === undefined ? progress.found.memories.length : "entries" in cut ? cut.entries : 0
  const shown = agent.profile.context.off.includes("memories") ? [] : progress.found.memories.slice(0, left)
  return Object.freeze({
    key: Object.freeze({ ...input.key }),
    turnId: input.turnId,
    turn: session.turns,
    speaker: Object.freeze({ ...input.speaker }),
    // What was said without memory stays so, also where its call was allowed with it.
    memoryOn: session.memoryOn && !(Number(input.resumes?.saidMs) < Number(session.memorySinceMs)),
    memorySinceMs: session.memorySinceMs,
    messages: Object.freeze(spoken),
    recalled: shown.flatMap(({ id }) => id ?? []),
    untrusted,
    forgot: hasForgotten(turn),
    hookStates: Object.fromEntries(hooks.states),
  })
}

/** The memories of a turn that history keeps: none, one line of each with at most `olderCharacters` UTF-16 units, or all. */
function keepRecalled(memories: readonly { readonly text: string }[], { older, olderCharacters }: ContextSettings): string[] {
  if (older === "drop") return []
  if (older === "keep") return memories.map(({ text }) => text)
  return memories.map(({ text }) => condense(text, olderCharacters)).filter((line) => line !== "")
}

function condense(text: string, characters: number): string {
  const line = text.split(/\s+/u).filter(Boolean).join(" ")
  if (line.length <= characters) return line
  return `${line.slice(0, graphemeBoundaryBefore(line, Math.max(0, characters - 1)))}…`
}

/** The tool runs that history keeps, each with the step in which the model asked for it, also those of a step that waits. */
function keptRuns({ steps, open }: TurnProgress, toolRuns: HistorySettings["toolRuns"]): KeptRun[] {
  const kept: KeptRun[] = []
  const waiting = open.step?.mode === "native" ? [{ ...open.step, type: "native" as const }] : []
  for (const [at, step] of [...steps, ...waiting].entries()) {
    if (toolRuns === "drop" || (toolRuns === "auto" && step.type !== "native") || step.type === "fault") continue
    const runs = step.type === "native" ? step.runs : [step.run]
    for (const [index, run] of runs.entries()) {
      const call = step.type === "native" ? step.calls[index] : undefined
      if (run) kept.push(keptRun(run, { step: at, id: call?.id ?? run.id, providerData: call?.providerData }))
    }
  }
  return kept
}

/** True if a turn forgot something, which stands in its own runs, memories and words too; also before it waited. */
export function hasForgotten({ input: { resumes }, progress }: TurnContext): boolean {
  return resumes?.open.forgot === true || progress.log.records.some(({ kind }) => kind === "forget")
}

/** A run as history keeps it. A repeat shows its attachments no second time. */
function keptRun(run: ToolRun, call: Pick<KeptRun, "step" | "id" | "providerData">): KeptRun {
  const { tool, args, result, status, parts = [], repeatOf } = run
  const attachments = repeatOf === undefined ? filled(parts.map(({ attachment }) => attachment)) : undefined
  const marks = { failed: status === "failed" || undefined, sentence: isSentence(run) || undefined, attachments }
  const providerData = recordOf(call.providerData).turnOnly === true ? undefined : call.providerData
  return { step: call.step, id: call.id, tool, args, result, ...defined({ ...marks, providerData }) }
}

/** Of the bytes that came up in a turn those whose id stands in some plain JSON. */
export function namedBytes(bytes: ReadonlyMap<string, Uint8Array>, value: unknown): readonly Uint8Array[] {
  if (bytes.size === 0) return []
  const text = JSON.stringify(value)
  return [...bytes].flatMap(([id, each]) => (text.includes(id) ? [each] : []))
}
