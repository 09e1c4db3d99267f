import type { SessionRecord } from "../services/session-store.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { TurnEvent } from "../turn/events.ts"
import { runTurn } from "../turn/run-turn.ts"
import { runAfterTurn } from "./after-turn.ts"
import type { AgentParts } from "./agent-parts.ts"
import { commitTurn } from "./commit-turn.ts"
import { makeTurnSetup } from "./make-turn-setup.ts"
import type { TurnInput } from "./turn-input.ts"

/** Runs one turn from the record it begins with to its one commit. Nothing is committed unless there is an answer. Never rejects. */
export async function runSessionTurn(
  parts: AgentParts,
  input: TurnInput,
  { record, emit, signal }: { record: SessionRecord | undefined; emit: (event: TurnEvent) => void; signal: AbortSignal },
): Promise<TurnResult> {
  const setup = makeTurnSetup(parts, input, record)
  const { result, run } = await runTurn(setup, signal, emit)
  const committed = result.ok ? await commitTurn(parts, input, { record, emit, run, result }) : result
  runAfterTurn(parts, setup, committed)
  return committed
}
