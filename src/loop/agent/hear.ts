import { shownValue } from "../../core/check-options.ts"
import { type Attachment, type HistoryMessage, isMoment } from "../../core/conversation.ts"
import { asOurError, PromptStrataError } from "../../core/errors.ts"
import { orAborted } from "../../core/timers.ts"
import { defined } from "../../core/value.ts"
import type { AgentContext, TurnInput } from "../turn/turn-context.ts"
import { unknownWrite } from "./failed/unsettled-commits.ts"
import { readInput } from "./queue/read-input.ts"
import { emptyRecord } from "./queue/turn-states.ts"
import { directed, type HearOptions } from "./session-options.ts"
import { startDeadline } from "./turn.ts"

/** Words that were kept without an answer. */
export interface HeardMessage {
  /** The id of the message in `Session.history`. */
  readonly id: string
}

/**
 * Adds a speaker's words to a session's history, outside of a turn; under the agent's id they are the agent's own. Resolves once they are durable, within the time limit of a turn.
 * `idle` and `close` of the agent wait for it.
 */
export function hear(
  agent: AgentContext,
  input: TurnInput,
  { atMs, ...options }: HearOptions & { readonly atMs: number },
): Promise<HeardMessage> {
  const { key, turnId, speaker, text } = input
  const { store, profile, background } = agent
  if (!isMoment(atMs))
    throw new PromptStrataError("usage", `hear expected atMs as whole milliseconds since 1970, found ${shownValue(atMs)}.`)
  // A key of its own, because the store keeps the order and lets calls share a write.
  return background.enqueue(turnId, async () => {
    const deadline = startDeadline(agent, new AbortController().signal)
    const { signal } = deadline
    try {
      const isById = typeof options.replyTo === "string"
      const record = isById ? ((await orAborted(store.load(key), signal)) ?? emptyRecord) : undefined
      const { replyTo, mentions } = record ? directed(agent, input, options, record) : input
      const base = { text, turnId, atMs, unanswered: true, ...defined({ replyTo, mentions }) } as const
      // The agent's own words, such as a greeting that the program showed.
      const own = { role: "assistant", speaker: { id: key.agent, name: profile.agent.name }, unprompted: true } as const
      const said: HistoryMessage = speaker.id === key.agent ? { ...base, ...own } : { ...base, role: "user", speaker }
      const message = input.attached.length === 0 ? said : { ...said, attachments: await kept(agent, input, signal) }
      await orAborted(store.append(key, [message]), signal)
      return { id: `${turnId}:0` }
    } catch (thrown) {
      throw hearError(thrown, signal.aborted)
    } finally {
      deadline.close()
    }
  })
}

/** Reads attachments and keeps their bytes. */
async function kept(agent: AgentContext, input: TurnInput, signal: AbortSignal): Promise<readonly Attachment[]> {
  const { attachments, bytes } = await readInput(agent, input, { signal })
  for (const each of bytes?.values() ?? []) await orAborted(agent.blobs.put(each, input.key), signal)
  return attachments
}

function hearError(thrown: unknown, isLate: boolean): PromptStrataError {
  if (isLate && PromptStrataError.isInstance(thrown) && thrown.code === "turn-timeout") {
    const unknown = "Nobody knows yet whether they are part of the conversation."
    const hint = "Look into the session before you pass the words again."
    return unknownWrite(thrown, { expected: "the store to keep the words", unknown, hint })
  }
  return asOurError(thrown, "session-store", "The words could not be stored", {
    hint: "They are not part of the conversation; pass them again once the store works.",
  })
}
