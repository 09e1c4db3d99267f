import { messageOf } from "../core/errors.ts"
import type { HistoryMessage } from "../core/history.ts"
import type { CommittedTurn } from "../services/background/background-job.ts"
import { frozenJson } from "../services/store/frozen-json.ts"
import type { Job } from "../services/store/job-runner.ts"
import type { TurnRun } from "../turn/turn-run.ts"
import type { AgentParts } from "./agent-parts.ts"

/** The jobs that a turn about to be committed asks for. One that cannot say what it wants is reported, and the turn goes on. */
export function jobsAfter(parts: AgentParts, run: TurnRun, messages: readonly HistoryMessage[]): readonly Job[] {
  const { key, turnId } = run.setup
  const turn = committedTurn(run, messages)
  return parts.jobs.flatMap(({ kind, afterTurn }): Job[] => {
    try {
      const payload = afterTurn?.(turn)
      if (payload === undefined) return []
      return [
        { id: `${turnId}:${kind}`, kind, key, turnId, atMs: parts.ports.clock.nowMs(), payload: frozenJson(payload, "payload") },
      ]
    } catch (error) {
      parts.onWarning({ key, turnId, message: `The job ${kind} was not enqueued: ${messageOf(error)}` })
      return []
    }
  })
}

/** Words alone: what was kept of prestart and recall stays out, so that nothing is learnt from what was injected (T35). */
function committedTurn(run: TurnRun, messages: readonly HistoryMessage[]): CommittedTurn {
  const { key, turnId, turn, question, memoryOn } = run.setup
  return Object.freeze({
    key: Object.freeze({ ...key }),
    turnId,
    turn,
    speaker: Object.freeze({ ...question.speaker }),
    memoryOn,
    messages: Object.freeze(messages.map(({ prestart: _, recalled: __, ...spoken }) => Object.freeze(spoken))),
    untrusted: hasUntrusted(run),
    hookStates: Object.fromEntries(run.hookStates),
  })
}

/** True where a tool whose words are not the author's own, such as an MCP server's, answered in this turn. */
function hasUntrusted({ runs, prestartRuns, tools }: TurnRun): boolean {
  return [...runs, ...prestartRuns].some(({ tool }) => tools.get(tool)?.trust === "tool")
}
