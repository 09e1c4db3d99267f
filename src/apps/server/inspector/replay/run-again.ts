import type { Clock } from "../../../../core/ports.ts"
import type { AgentContext } from "../../../../loop/turn/turn-context.ts"
import { type RecordParts, recordOf } from "../build-record.ts"
import { Recorder } from "../recorder.ts"
import type { TurnRecord } from "../turn-record.ts"
import { contextAgain, type ReplayableTurn, saidWith, sessionAgain } from "./again.ts"

/** Everything beside agent and turn that {@link runAgain} needs. */
interface RunParts {
  readonly parts: RecordParts
  /** Ends the turn when it aborts. */
  readonly signal: AbortSignal
}

/**
 * Runs a turn again: the model is asked, and nothing is kept. No tool acts: a call with the arguments of one in the turn gets that one's
 * result, another fails with words that say so. Resolves to the record of the new turn, also of one that failed.
 */
export async function runAgain(agent: AgentContext, turn: ReplayableTurn, { parts, signal }: RunParts): Promise<TurnRecord> {
  let isPlanned = false
  const context = contextAgain(agent, turn, { isPlanned: () => isPlanned })
  const clock = clockFrom(turn.startedMs, agent.ports.clock)
  const recorder = new Recorder({ maxTurns: 1, maxBytes: Number.POSITIVE_INFINITY }, clock)
  const inspection: AgentContext["inspection"] = {
    tell: (...given) => recorder.tell(...given),
    send(...given) {
      isPlanned = true
      recorder.send(...given)
    },
  }
  const own = { ...context, inspection, ports: { ...context.ports, clock } }
  const run = sessionAgain(own, turn).send(turn.question, { ...saidWith(turn), signal })
  await run.result
  const kept = recorder.get(run.id)
  if (!kept) throw new Error("The turn that was run again left no record.")
  return recordOf(kept, { ...parts, before: () => undefined }, [])
}

/** A clock that goes on from a moment. */
function clockFrom(startMs: number, clock: Clock): Clock {
  const begunMs = clock.nowMs()
  return { nowMs: () => startMs + clock.nowMs() - begunMs }
}
