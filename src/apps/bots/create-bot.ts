import { checkType } from "../../core/check-options.ts"
import type { HistoryMessage, SessionKey } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { hostPorts } from "../../core/ports.ts"
import { type Agent, createAgent } from "../../loop/agent/agent.ts"
import type { AgentOptions } from "../../loop/agent/agent-options.ts"
import { contextOf, partsOf } from "../../loop/agent/published-agents.ts"
import type { Session } from "../../loop/agent/session.ts"
import { type TurnJournal, waitingIdOf } from "../../loop/turn/calls/turn-journal.ts"
import type { AgentContext } from "../../loop/turn/turn-context.ts"
import { bytesToText } from "../../memory/services/store/blob.ts"
import { createInMemoryStore } from "../../memory/services/store/in-memory/in-memory-store.ts"
import type { Job } from "../../memory/services/store/job-runner.ts"
import type { Store } from "../../memory/services/store/store.ts"
import type { Profile } from "../../profile/profile.ts"
import type { Approval } from "../../prompt/tools/tool.ts"
import { linkHosts } from "../../reply/output/link-address.ts"
import { withoutLinks } from "../../reply/output/link-reader.ts"
import { createDelivery, createOutputReader } from "../../reply/output/output-reader.ts"
import { readTypedAnswer } from "../../trace/approval-question.ts"
import { errorWords } from "../../trace/error-words.ts"
import { logError } from "../../trace/log-error.ts"
import type { BotMessage } from "./bot-message.ts"
import { askPerson, type BotChat, checkChat, deliverTurn, sayText } from "./deliver-turn.ts"
import { Inbox, type InboxEntry, type MessageRecord } from "./inbox.ts"
import { checkMessage, type ReadyMessage, readied, takeReady } from "./take-message.ts"

interface BotParts {
  readonly agent: Agent
  readonly chat: (conversation: SessionKey, answered?: BotMessage) => BotChat
  readonly inbox: Pick<Inbox, "idle">
}

/** An answer that crashed so often is not tried again: it may be the answer that ends the process. */
const maxTries = 20

/** Answers a message, or goes on with its answer where a crash cut it off. False if the agent was closed before. */
async function answerOpen(open: InboxEntry, { agent, chat, inbox }: BotParts): Promise<boolean> {
  const { key, message, records, turnId, tries, add } = open
  const session = agent.session({ conversation: key.conversation, audience: key.audience })
  const own = recorded(chat(session.key, message.byOperator ? undefined : message), add)
  try {
    const context = await contextOf(agent)
    const history = tries > 0 ? ((await context.store.load(session.key))?.history ?? []) : []
    if (tries > 0 && (await wasAnswered(open, { session, context, history, chat: own }))) return true
    if (tries > maxTries) await sayText(errorWords(undefined, own.locale ?? "en"), own)
    else {
      const said = records.flatMap((record) => (record.type === "sent" ? [record.text] : [])).join("\n\n")
      const journal: TurnJournal = {
        ...{ turnId, said, runs: runsIn(records), kept: history.find((each) => each.turnId === waitingIdOf(open)) },
        began: (run) => add({ type: "began", run }),
        ended: ({ id, tool, args, result }) => add({ type: "ended", run: { id, tool, args, result } }),
      }
      if (isAct(message)) await add({ type: "run" })
      const result = await takeReady(session, message, own, { journal })
      // Its words are answered with those of a newer message, which must not be lost meanwhile.
      if (result?.ok && result.stopReason === "joined") await inbox.idle(open)
    }
  } catch (error) {
    if (PromptStrataError.isInstance(error) && error.code === "closed") return false
    ;(own.onError ?? logError)(error)
  }
  return true
}

/** True for words that are a command or answer an approval: to do them twice is more than to answer twice. */
const isAct = ({ text }: BotMessage): boolean => text.trimStart().startsWith("/") || readTypedAnswer(text) !== undefined

/** The runs that were recorded; one that has begun and not ended has no result. */
function runsIn(records: InboxEntry["records"]): TurnJournal["runs"] {
  const runs = new Map<string, TurnJournal["runs"][number]>()
  for (const record of records) if (record.type === "began" || record.type === "ended") runs.set(record.run.id, record.run)
  return [...runs.values()]
}

/** A chat that records what the platform took. */
function recorded(chat: BotChat, add: InboxEntry["add"]): BotChat {
  const { sendText, sendFile, ask } = chat
  const after =
    <T>(send: (given: T) => unknown, recordOf: (given: T) => MessageRecord) =>
    async (given: T): Promise<void> => {
      await send(given)
      await add(recordOf(given))
    }
  return {
    ...chat,
    sendText: after(sendText, (text) => ({ type: "sent", text })),
    sendFile: sendFile && after(sendFile, ({ path: text }) => ({ type: "sent", text })),
    ask: ask && after(ask, (asked) => ("id" in asked ? { type: "asked", id: asked.id } : { type: "sent", text: asked.question })),
  }
}

interface AnswerLookup {
  readonly session: Session
  readonly context: AgentContext
  readonly history: readonly HistoryMessage[]
  readonly chat: BotChat
}

/** True if a message needs no turn any more; what had not arrived of its answer is sent. */
async function wasAnswered(open: InboxEntry, { session, context, history, chat }: AnswerLookup): Promise<boolean> {
  const { message, records, turnId, takenMs } = open
  const hasRun = records.some(({ type }) => type === "run")
  const ids = [turnId, waitingIdOf(open)]
  const own = history.filter((each) =>
    hasRun
      ? each.role === "assistant" && each.atMs >= takenMs
      : each.turnId === turnId || each.answers?.some((id) => ids.includes(id)),
  )
  if (own.length === 0 && !hasRun) return false
  // A command or an answer goes on with a turn of another id.
  const isOwn = ({ id, askedMs }: Approval) => (hasRun ? askedMs >= takenMs : id.startsWith(`${turnId}:`))
  const waiting = (await session.approvals()).filter((approval) => isOwn(approval) && !approval.answer)
  // A command was cut off before it was done, or nobody knows; an approval knows by itself if it was answered.
  if (own.length === 0 && waiting.length === 0)
    return (
      readTypedAnswer(message.text) === undefined && sayText(errorWords(undefined, chat.locale ?? "en"), chat).then(() => true)
    )
  // An answer to several messages is sent by the one that has its turn.
  const whole = own.filter((each) => each.role === "assistant" && !each.unanswered && (hasRun || each.turnId === turnId))
  const failed = whole.length === 0 && own.some(({ interrupted }) => interrupted)
  const shown = failed ? [errorWords(undefined, chat.locale ?? "en")] : whole.flatMap(({ text }) => bubblesOf(text, context))
  const arrived = records.flatMap((record) => (record.type === "sent" ? [record.text] : []))
  // A question without buttons was asked in words.
  const said = arrived.join()
  for (const bubble of shown) {
    let rest = chat.print?.(bubble) ?? bubble
    for (let [next] = arrived; next !== undefined && rest.includes(next); [next] = arrived)
      rest = rest.slice(rest.indexOf(arrived.shift() ?? "") + next.length)
    if (rest.trim() !== "") await sayText(rest, chat)
  }
  const asked = new Set(records.flatMap((record) => (record.type === "asked" ? [record.id] : [])))
  for (const approval of waiting)
    if (!asked.has(approval.id) && !said.includes(approval.code)) await askPerson(approval, chat, context.profile.output.links)
  return true
}

/** The bubbles of an answer of the history as a chat shows them, without the marks of its format. */
function bubblesOf(text: string, { profile }: AgentContext): string[] {
  const { format, bubbles, links } = profile.output
  const [reader, delivery] = [createOutputReader({ bubbles, format }), createDelivery()]
  const parts = [...reader.push({ type: "text", delta: text }), ...reader.end()]
  return parts.map((part) => withoutLinks(delivery.push(part).bubble, linkHosts(links ?? [])))
}

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
  const answer = (open: InboxEntry): Promise<boolean> => answerOpen(open, { agent, chat, inbox })
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
  partsOf(agent).asking.later = true
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
