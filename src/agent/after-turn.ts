import { messageOf } from "../core/errors.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { TurnSetup } from "../turn/turn-setup.ts"
import { within } from "../turn/within.ts"
import type { AgentParts } from "./agent-parts.ts"
import { sessionId } from "./session-id.ts"

/**
 * Runs what follows a turn in the background: hooks in their order, those of a session's turns one turn after the other.
 * One that throws or takes longer than `limits.toolMs` is reported and holds nothing up for longer.
 */
export function runAfterTurn(parts: AgentParts, setup: TurnSetup, result: TurnResult): void {
  for (const hook of parts.hooks) {
    // Not read here: a getter that throws is the hook's failure too.
    if ("afterTurn" in hook) void parts.background.enqueue(sessionId(setup.key), () => runHook(parts, hook, { setup, result }))
  }
}

async function runHook(
  { ports, profile, onWarning }: AgentParts,
  hook: TurnHook,
  { setup, result }: { readonly setup: TurnSetup; readonly result: TurnResult },
): Promise<void> {
  const { key, turnId, question, wake, memoryOn } = setup
  // Copies: what one hook does to them reaches neither the next hook nor whoever awaits the turn.
  const context = {
    key: { ...key },
    turnId,
    memoryOn,
    result: { ...result },
    speaker: { ...question.speaker },
    ...(wake === undefined ? {} : { wake }),
  }
  const timeoutMs = profile.limits.toolMs
  const outcome = await within({ timeoutMs, signal: new AbortController().signal, timers: ports.timers }, (signal) =>
    hook.afterTurn?.({ ...context, question: question.text, signal }),
  )
  if (outcome.status === "failed")
    onWarning({ key, turnId, message: `The hook ${hook.name} failed after the turn: ${messageOf(outcome.error)}` })
  if (outcome.status === "timeout")
    onWarning({ key, turnId, message: `The hook ${hook.name} took longer than ${timeoutMs} ms after the turn.` })
}
