import { checkType } from "../../core/check-options.ts"
import type { SessionKey } from "../../core/conversation.ts"
import { hostPorts } from "../../core/ports.ts"
import { type Agent, createAgent } from "../../loop/agent/agent.ts"
import type { AgentOptions } from "../../loop/agent/agent-options.ts"
import { bytesToText } from "../../memory/services/store/blob.ts"
import { createInMemoryStore } from "../../memory/services/store/in-memory/in-memory-store.ts"
import type { Job } from "../../memory/services/store/job-runner.ts"
import type { Store } from "../../memory/services/store/store.ts"
import type { Profile } from "../../profile/profile.ts"
import { logError } from "../../trace/log-error.ts"
import { answerOpen } from "./answer-open.ts"
import type { BotMessage } from "./bot-message.ts"
import { type BotChat, checkChat, deliverTurn } from "./deliver-turn.ts"
import { Inbox, type OpenMessage } from "./inbox.ts"
import { checkMessage, type ReadyMessage, readied } from "./take-message.ts"

/** Options of {@link createBot}: those of `createAgent`, and the chats of the platform. */
export interface BotOptions extends Omit<AgentOptions, "onWake" | "store"> {
  /** Keeps sessions, and the messages until they are answered. Default: in memory, until the process ends. */
  readonly store?: Store | undefined
  /** Makes the chat of a conversation. `answered` is the message that is answered there; nobody's for a reminder. */
  readonly chat: (conversation: SessionKey, answered?: BotMessage) => BotChat
}

/** Options of every bot of a platform: those of `createBot`, but for the chats. By default it answers in groups who speaks to it. */
export interface PlatformOptions extends Omit<BotOptions, "chat">, Pick<BotChat, "operators" | "onError"> {
  readonly profile: Profile
  readonly token: string
  /** Another server of the platform's API. Default: the platform's own. */
  readonly api?: string | undefined
}

/** A character on a chat platform. */
export interface Bot {
  readonly agent: Agent
  /**
   * Answers or hears a message. Resolves once it is kept, when the platform may be told that it arrived; the answer follows.
   * One that comes twice is answered once, by its `id`. Rejects if it cannot be kept. The parts of an album are kept one by one.
   */
  take(conversation: Omit<SessionKey, "agent">, message: BotMessage): Promise<void>
  /** Settles once all messages are answered. */
  idle(): Promise<void>
  /** Takes no more messages, and waits for the answers that are under way. When `signal` aborts, they end. The store stays open. */
  close(options?: { readonly signal?: AbortSignal }): Promise<void>
}

/** A character that listens at a chat platform. */
export interface ConnectedBot {
  readonly agent: Agent
  /** The name that it has there. */
  readonly name: string
  /** Resolves once it listens no more. Rejects if the connection cannot go on. */
  readonly ended: Promise<void>
  /** Listens no more, and waits for the answers that are under way. When `signal` aborts, they end. The store stays open. */
  readonly close: Bot["close"]
}

/**
 * Makes a character for a chat platform that loses no message: words are kept before they are answered, an answer that a crash cut off is
 * taken up by the next process, or by another one with the same store, and reminders ring in their chats.
 */
export function createBot(given: BotOptions): Bot {
  checkType("the options of createBot", given, "object")
  const { chat: chatOf, plugins = [], ...options } = given
  checkType("`chat` of createBot", chatOf, "function")
  const chat: typeof chatOf = (...asked) => checkChat("`chat` of createBot", chatOf(...asked))
  const ports = { ...hostPorts, ...options.ports }
  const store = options.store ?? createInMemoryStore({ ports })
  const answer = (open: OpenMessage): Promise<boolean> => answerOpen(open, { agent, chat, inbox })
  const inbox = new Inbox({ store: store.wakes, ports, answer, onError: logError })
  const due = (job: Job): Promise<void> => {
    const message = { ...job.payload, files: [], hasWords: true } as unknown as ReadyMessage
    return message.byOperator ? inbox.take(job.key, message, async () => message) : inbox.due(job)
  }
  const jobs = [{ kind: "message", run: due }]
  const agent = createAgent({
    ...options,
    store,
    plugins: [...plugins, { name: "inbox", jobs }],
    onWake: (turn, key) => deliverTurn(turn, chat(key)),
  })
  return {
    agent,
    async take(conversation, message) {
      const session = agent.session(conversation)
      checkMessage(message)
      const own = chat(session.key, message)
      await inbox.take(session.key, message, async () => {
        const ready = await readied(session, message, own)
        return ready && plain(ready)
      })
    },
    idle: () => inbox.idle(),
    async close(closing) {
      await agent.close(closing)
      await inbox.idle()
    },
  }
}

/** A message as plain JSON: its files are `data:` URLs. */
function plain(message: ReadyMessage): ReadyMessage {
  const files = message.files.map((file) => {
    if (!("bytes" in file)) return file
    const { bytes, name, mediaType } = file
    return { name, mediaType, url: `data:${mediaType ?? ""};base64,${bytesToText(new Uint8Array(bytes))}` }
  })
  return JSON.parse(JSON.stringify({ ...message, files }))
}
