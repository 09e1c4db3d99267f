import type { HistoryMessage } from "../../core/conversation.ts"
import { messageOf } from "../../core/errors.ts"
import { defined } from "../../core/value.ts"
import type { CommittedTurn } from "../../memory/services/background/background-job.ts"
import { frozenJson } from "../../memory/services/store/frozen-json.ts"
import type { Job } from "../../memory/services/store/job-runner.ts"
import type { Receipt } from "../../memory/services/store/receipt.ts"
import type { AgentContext, TurnContext } from "../turn/turn-context.ts"

/**
 * The jobs that a turn about to be committed asks for, each with an id that begins with `id`. A job that throws is reported, and the turn
 * goes on. Where the store joins jobs, the receipts of those that wait are added to `joined`.
 */
export function jobsAfter(
  agent: AgentContext,
  turn: CommittedTurn,
  { id = turn.turnId, joined }: { readonly id?: string; readonly joined?: Receipt[] },
): readonly Job[] {
  const { key, turnId } = turn
  const jobs: Job[] = []
  for (const job of agent.jobs) {
    const { kind } = job
    try {
      const given = job.afterTurn?.(turn)
      if (given === undefined) continue
      const payload = frozenJson(given, "payload")
      const quiet = job.mayWait?.(turn) || undefined
      const atMs = agent.ports.clock.nowMs()
      const receipt = joined && agent.runner.joinsJobs ? job.joins?.(turn) : undefined
      if (receipt && quiet) joined?.push({ attempt: 1, startedMs: atMs, durationMs: 0, ...receipt, key, turnId })
      jobs.push({ id: `${id}:${kind}`, kind, key, turnId, atMs, ...defined({ quiet, joins: receipt && true }), payload })
    } catch (error) {
      agent.onWarning({ key, turnId, message: `The job ${kind} was not enqueued: ${messageOf(error)}` })
    }
  }
  return jobs.sort((a, b) => Number(a.quiet ?? false) - Number(b.quiet ?? false))
}

/** The turn as jobs see it: without tool results and recalled memories, so that nothing is learnt from injected context (T35). */
export function committedTurn(turn: TurnContext, messages: readonly HistoryMessage[]): CommittedTurn {
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
    memoryOn: session.memoryOn,
    memorySinceMs: session.memorySinceMs,
    messages: Object.freeze(spoken),
    recalled: shown.flatMap(({ id }) => id ?? []),
    untrusted,
    forgot: progress.log.records.some(({ kind }) => kind === "forget"),
    hookStates: Object.fromEntries(hooks.states),
  })
}
