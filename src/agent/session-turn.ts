import type { Assembly } from "../core/span.ts"
import type { TurnResult } from "../trace/turn-event.ts"
import { prepare } from "../turn/prepare.ts"
import { runTurn } from "../turn/run-turn.ts"
import { assembleStep } from "../turn/step-request.ts"
import type { AgentContext, TurnInput } from "../turn/turn-context.ts"
import { commitTurn, runAfterTurn } from "./commit-turn.ts"
import { createTurnContext, type TurnBeginning } from "./create-turn-context.ts"

/** Runs one turn from its record to its one commit. Nothing is committed unless there is an answer. Never rejects. */
export async function runSessionTurn(agent: AgentContext, input: TurnInput, begin: TurnBeginning): Promise<TurnResult> {
  const turn = createTurnContext(agent, input, begin)
  const result = await runTurn(turn)
  const committed = result.ok ? await commitTurn(turn, result) : result
  runAfterTurn(turn, committed)
  return committed
}

/** The request that a turn would begin with; no model is called. */
export async function previewTurn(
  agent: AgentContext,
  input: TurnInput,
  { prompt, ...begin }: Pick<TurnBeginning, "record" | "signal"> & { readonly prompt: string },
): Promise<Assembly> {
  const turn = createTurnContext(agent, input, { ...begin, emit: () => undefined, isPreview: true })
  await prepare(turn)
  return assembleStep(turn, { prompt }, agent.models[0])
}
