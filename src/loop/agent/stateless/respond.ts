import { checkShape, shownValue } from "../../../core/check-options.ts"
import type { Audience, HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { onDemand } from "../../../core/late.ts"
import type { BlobRecords } from "../../../memory/services/store/records.ts"
import type { SessionStore } from "../../../memory/services/store/session-store.ts"
import type { StepControl } from "../../turn/control/step-control.ts"
import type { AgentContext } from "../../turn/turn-context.ts"
import { loadAside } from "../borders/load-aside.ts"
import { Session } from "../session.ts"
import { checkSessionOptions, runsShape, type SendOptions, speakerOf } from "../session-options.ts"
import type { Turn } from "../turn.ts"
import type { ChatMessage } from "./past-messages.ts"

/** Options of `Agent.respond`. */
export interface RespondOptions extends Pick<SendOptions, "from" | "inject" | "tools" | "signal">, StepControl {
  /** Default `private`. */
  readonly audience?: Audience
}

/** Starts a turn that answers the last of the messages, after those before it. Nothing of it is kept. Throws `usage`. */
export function respond(
  current: AgentContext | Promise<AgentContext>,
  latest: AgentContext,
  { messages, options }: { readonly messages: readonly ChatMessage[]; readonly options: RespondOptions },
): Turn {
  checkSessionOptions("respond", options, "from inject tools signal audience toolChoice stopWhen prepareStep output answerLimit")
  const { audience = "private", ...given } = options
  const { ports, profile } = latest
  const key: SessionKey = { agent: profile.agent.id, conversation: ports.ids.next("respond"), audience }
  const question = checked(messages)
  const speaker = speakerOf({ id: key.conversation, ...given.from }, question.name ?? profile.user.name)
  const nowMs = ports.clock.nowMs()
  // Copied before the wait, during which the caller may change them.
  const past = messages.map((message) => ({ ...message }))
  // Of this conversation alone: nothing is kept.
  const bytes = new Map<string, Uint8Array>()
  const blobs: BlobRecords = { put: async () => ({ id: "" }), get: async (id) => bytes.get(id) }
  const store = storeOf(async () => {
    const { pastMessages } = await loadAside()
    return pastMessages(past, { key, speaker, agentName: profile.agent.name, nowMs, blobs, files: profile.output.files, bytes })
  })
  const own = { isStateless: true, store, blobs, jobs: [], tellObservers: undefined }
  const stateless = (context: AgentContext): AgentContext => ({ ...context, ...own })
  const session = new Session(current instanceof Promise ? current.then(stateless) : stateless(current), stateless(latest), key)
  const { content, attachments = [], runs } = question
  return session.send(content, { ...given, from: speaker, attachments, runs })
}

/** The last message. Throws for messages that are none, and for a last one that nobody can answer. */
function checked(messages: readonly ChatMessage[]): ChatMessage {
  checkShape("the messages of respond", messages, [
    { "name?": "string", "attachments?": "list", "runs?": runsShape, "atMs?": "milliseconds" },
  ])
  for (const [at, { role, content }] of messages.entries()) {
    if ((role === "user" || role === "assistant") && typeof content === "string") continue
    const found = typeof content === "string" ? `role ${shownValue(role)}` : `content of type ${typeof content}`
    const message = `respond expected text of role user or assistant in message ${at + 1}, found ${found}.`
    throw new PromptStrataError("usage", message, { hint: "Give instructions as `inject`." })
  }
  const last = messages.at(-1)
  if (last?.role === "user") return last
  const found = last === undefined ? "none" : "one of the assistant"
  throw new PromptStrataError("usage", `respond expected a message of the user at the end, found ${found}.`)
}

/** A store that holds one conversation and keeps nothing. */
function storeOf(read: () => Promise<readonly HistoryMessage[]>): SessionStore {
  const known = onDemand(read)
  return {
    load: async () => ({ version: 1, history: await known(), earlier: 0, state: {}, notes: [] }),
    commit: async () => ({ version: 2 }),
    post: async () => false,
    append: async () => undefined,
    messages: async (_key, filter) => (await loadAside()).filterMessages(await known(), filter),
    branches: async () => [],
  }
}
