import type { Assembly } from "../core/span.ts"
import type { SessionRecord } from "../services/store/session-store.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { TurnEvent } from "../turn/events.ts"
import { assembleStep } from "../turn/model-step.ts"
import { prepare } from "../turn/prepare.ts"
import { runTurn } from "../turn/run-turn.ts"
import { TurnRun } from "../turn/turn-run.ts"
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

/** The request that a turn would begin with; no model is called. */
export async function previewTurn(
  parts: AgentParts,
  input: TurnInput,
  { record, prompt, signal }: { record: SessionRecord | undefined; prompt: string; signal: AbortSignal },
): Promise<Assembly> {
  const run = new TurnRun(makeTurnSetup(parts, input, record), signal, () => undefined)
  await prepare(run)
  return assembleStep(run, { prompt, model: parts.models[0], tools: undefined })
}
