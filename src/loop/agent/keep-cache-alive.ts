import { messageOf } from "../../core/errors.ts"
import { memoKind } from "../../core/memo.ts"
import { pause, quietTimers } from "../../core/timers.ts"
import { defined } from "../../core/value.ts"
import { sessionRowId } from "../../memory/services/store/rows/row-tables.ts"
import { memoOf } from "../../prompt/assemble/assembler.ts"
import type { TurnContext } from "../turn/turn-context.ts"
import { type AskRequest, sendRequest } from "./ask-model.ts"
import type { QueuedTurn } from "./queue/turn-states.ts"

/** No provider keeps a shorter request in its cache. The least output for which each can be asked: OpenAI's Responses API refuses less. */
const [leastTokens, outputTokens] = [1_024, 16]

/** The request of a pause. The session's assembler holds it, so that nothing is sent once that was told to forget. */
const heldRequest = memoKind<AbortController, AskRequest>()

type Pause = NonNullable<ReturnType<typeof keepCacheAlive>>

/**
 * Keeps a provider's cache of a session alive in the pause behind a turn, by sending the turn's last request again (L28). Returns the
 * pause, unless there is nothing to keep. Its signal aborts when anything is asked of the session, and when the agent is closed.
 */
export function keepCacheAlive(
  { agent, input, record, history, startedMs, progress }: TurnContext,
  { session: { assembler, places }, place }: QueuedTurn,
) {
  const { model, request, usage = {} } = progress.log.lastRequest ?? {}
  const isIdle = places === place && input.wake === undefined && !agent.isStateless && !agent.closed.aborted
  if (!isIdle || assembler.size === 0 || !model || !request?.assembly) return undefined
  const { assembly, messages } = request
  if (assembly.tokens + assembly.overheadTokens < leastTokens) return undefined
  const { key, turnId, resumes } = input
  // A turn that goes on after an approval wrote more than its end.
  const version = (resumes?.version() ?? record?.version ?? 0) + 1
  const begun = { agent, key, turnId, model, assembler, version, over: new AbortController() }
  if ((usage.inputCacheReadTokens || usage.inputCacheWriteTokens) && !messages.some(({ parts }) => parts)) {
    memoOf(assembler).set(heldRequest, begun.over, { ...request, assembly })
    void repeatWhile(begun)
    return begun
  }
  // Behind a longer pause a cache serves nothing, and some providers do not tell what they write.
  if (startedMs - (history.at(-1)?.atMs ?? 0) < agent.profile.conversation.cacheKeepAliveMs)
    tellOnce(begun, "its provider tells of no tokens that a cache served or wrote, or a request shows pictures or files")
  return undefined
}

function tellOnce({ agent, key, turnId, model }: Pause, why: string): void {
  const message = `The prompt cache of ${model.id} is not kept alive where ${why}. This is told once.`
  if (!agent.keptAlive.told.has(message)) agent.onWarning({ key, turnId, message })
  agent.keptAlive.told.add(message)
}

/** Never rejects. */
async function repeatWhile(begun: Pause): Promise<void> {
  const { agent, key, turnId, model, over } = begun
  const { cacheKeepAlive, cacheKeepAliveMs } = agent.profile.conversation
  const [{ pauses }, id, { signal }] = [agent.keptAlive, sessionRowId(key), over]
  pauses.set(id, over)
  try {
    for (let sent = 0; sent < cacheKeepAlive && !signal.aborted; sent++) {
      await pause(cacheKeepAliveMs, { timers: quietTimers(agent.ports.timers), signal })
      if (!signal.aborted) await agent.background.enqueue(id, () => repeat(begun))
    }
  } catch (error) {
    const message = `The prompt cache of ${model.id} is kept alive no longer in this pause: ${messageOf(error)}`
    if (!signal.aborted) agent.onWarning({ key, turnId, message })
  }
  if (pauses.get(id) === over) pauses.delete(id)
}

/** Sends the request again. Rejects if no cache served it. */
async function repeat(begun: Pause): Promise<void> {
  const { agent, key, turnId, model, over } = begun
  const held = memoOf(begun.assembler).get(heldRequest, over)
  if (!held) tellOnce(begun, "a conversation was forgotten, or 256 others were used since")
  // Another process may have answered, or deleted the conversation.
  if (!held || (await agent.store.load(key, { last: 1 }))?.version !== begun.version) return over.abort()
  const { clock } = agent.ports
  const startedMs = clock.nowMs()
  const request = { ...held, maxOutputTokens: Math.min(outputTokens, held.maxOutputTokens ?? outputTokens) }
  const { usage, estimate, thrown } = await sendRequest(agent, model, { request, key, signal: over.signal })
  const message = usage?.inputCacheReadTokens ? undefined : messageOf(thrown ?? "no cache served it.")
  await agent.receipts.put({
    ...{ key, turnId: `${turnId}:${startedMs}`, kind: "keep-alive", outcome: message ? "failed" : "ok", attempt: 1, startedMs },
    ...{ durationMs: clock.nowMs() - startedMs, model: model.id, ...defined({ message, usage, estimate }) },
  })
  if (message) throw new Error(message)
}
