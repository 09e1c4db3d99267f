import type { Assembly } from "../../../core/span.ts"
import { prepare } from "../../turn/run-turn.ts"
import { assembleStep } from "../../turn/step-request.ts"
import type { Deadline, TurnInput } from "../../turn/turn-context.ts"
import { createTurnContext } from "../create-turn-context.ts"
import { findUnsettled } from "../failed/unsettled-commits.ts"
import { inputOf, type Utterance } from "../session-options.ts"
import { withWholeHistory } from "../session-turn.ts"
import { readInput } from "./read-input.ts"
import { emptyRecord, type SessionAtRest } from "./turn-states.ts"

/** Returns the request that a turn would begin with. No model is called. */
export async function previewTurn(
  rest: SessionAtRest,
  { inject, ...words }: Utterance & Pick<TurnInput, "inject">,
  { prompt, deadline }: { readonly prompt: string; readonly deadline: Deadline },
): Promise<Assembly> {
  const { session } = rest
  const { agent } = session
  const { record } = session.unsettled.size > 0 ? await withWholeHistory(rest) : rest
  findUnsettled(session, record)
  const input = { ...inputOf(session, { ...words, record: record ?? emptyRecord }), inject }
  const begin = { record, deadline, emit: () => undefined, assembler: session.assembler }
  const turn = createTurnContext(agent, await readInput(agent, input, deadline), begin)
  try {
    await prepare(turn)
    return await assembleStep(turn, { prompt }, agent.models[0])
  } finally {
    turn.progress.hooks.areOver = true
  }
}
