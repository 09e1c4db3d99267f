import { PromptStrataError } from "../../core/errors.ts"
import { defined } from "../../core/value.ts"
import type { Agent } from "../../loop/agent/agent.ts"
import { contextOf } from "../../loop/agent/published-agents.ts"
import { messageId } from "../../loop/agent/second-thoughts/session-history.ts"
import { openTurnIn, waitingIn } from "../../loop/turn/open-turn/open-turn.ts"
import { bytesToText } from "../../memory/services/store/blob.ts"
import { emptyTrace } from "../../trace/trace.ts"
import type { TurnEvent, TurnResult } from "../../trace/turn-event.ts"
import { type Answer, answerOf } from "./exchange.ts"

/**
 * A turn of a kept conversation as the store has it, after a restart or from another process: its words and files, and what it waits for. One
 * that failed, or was cut off with its process, ends with an error behind what had been shown of it. Undefined if the conversation has
 * nothing of it, or it goes on elsewhere.
 */
export async function keptAnswer(agent: Agent, conversation: string, turnId: string): Promise<Answer | undefined> {
  const session = agent.session(conversation)
  const history = await session.history({ limit: Number.MAX_SAFE_INTEGER })
  const messages = history.filter(
    (message) => message.turnId === turnId || (message.role === "assistant" && message.replyTo?.id === messageId(turnId, 0)),
  )
  const { blobs, profile, store } = await contextOf(agent)
  const open = openTurnIn((await store.load(session.key, { last: 1 }))?.state)
  const waits = open?.turnId === turnId ? waitingIn(open.calls, open.speaker, profile.limits) : undefined
  if (waits ? !(waits.approvals ?? waits.calls) : messages.length === 0) return undefined
  const answers = messages.filter(({ role }) => role === "assistant")
  const events: TurnEvent[] = [{ type: "turn-start", turnId, atMs: 0, ...defined({ links: profile.output.links }) }]
  for (const { text, attachments = [] } of answers) {
    if (text !== "") events.push({ type: "text-delta", delta: text })
    for (const { name, mediaType = "application/octet-stream", blob = "" } of attachments) {
      const bytes = await blobs.get(blob, session.key)
      if (!bytes) continue
      const attachment = { path: name, mediaType, bytes: bytes.length, base64: bytesToText(bytes), blob }
      events.push({ type: "attachment", attachment })
    }
  }
  const text = events.map((event) => (event.type === "text-delta" ? event.delta : "")).join("")
  const attachments = events.flatMap((event) => (event.type === "attachment" ? event.attachment : []))
  const trace = emptyTrace({ turnId, key: session.key, startedMs: 0 })
  const stopReason = answers.at(-1)?.interrupted === true ? "truncated" : "finish"
  const isWhole = waits !== undefined || (answers.length > 0 && answers.every(({ unanswered }) => !unanswered))
  const error = new PromptStrataError("session-store", "The turn failed, or was cut off with its process.")
  const result: TurnResult = isWhole
    ? { ok: true, text, attachments, stopReason, ...waits, usage: {}, trace }
    : { ok: false, error, gathered: { runs: [], text }, trace }
  return answerOf(turnId, [...events, { type: "turn-end", result }])
}
