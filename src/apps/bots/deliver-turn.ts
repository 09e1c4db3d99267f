import { checkOptions, checkShape, checkType } from "../../core/check-options.ts"
import type { FileAttachment } from "../../core/conversation.ts"
import { hostTimers, type Timers } from "../../core/ports.ts"
import type { SwipeQuestion } from "../../loop/agent/second-thoughts/chat-commands.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import type { Approval } from "../../prompt/tools/tool.ts"
import { type ApprovalQuestion, approvalQuestion } from "../../trace/approval-question.ts"
import { errorWords } from "../../trace/error-words.ts"
import { guardLinks, withBrokenLinks } from "../../trace/guard-links.ts"
import { logError } from "../../trace/log-error.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import chatShape from "./chat-shape.json" with { type: "json" }
import { type Patience, sendPatiently } from "./send-patiently.ts"
import { type SplitOptions, splitMessage } from "./split-message.ts"

/** Options of {@link keepTyping}. */
interface TypingOptions {
  /** Time from one call to the next. Default 4,000: Telegram shows the sign for 5 seconds, Discord for 10. */
  readonly everyMs?: number
  /** Gets each failure. The sign is shown again at the next time all the same. */
  readonly onError?: (error: unknown) => void
  /** Timers of a test. */
  readonly timers?: Timers | undefined
}

/**
 * Shows that the bot is typing, now and again until the returned function is called. A call that is still under way is not repeated.
 * A failure is passed to `onError` and never thrown.
 */
export function keepTyping(show: () => unknown, options: TypingOptions = {}): () => void {
  checkOptions("keepTyping", options, "everyMs onError timers")
  const { everyMs = 4_000, onError, timers = hostTimers } = options
  let timer: unknown
  let isOver = false
  const again = async (): Promise<void> => {
    try {
      await show()
    } catch (error) {
      onError?.(error)
    }
    if (!isOver) timer = timers.set(() => void again(), everyMs)
  }
  void again()
  return () => {
    isOver = true
    timers.clear(timer)
  }
}

/** A question with buttons: that of a call which waits for a person, or to which other answer or greeting to go. */
export type BotQuestion = ApprovalQuestion | SwipeQuestion

/** A chat of a platform, as {@link deliverTurn} needs it. */
export interface BotChat extends SplitOptions, Pick<Patience, "retryAfterMs" | "attempts" | "longestWaitMs"> {
  readonly sendText: (text: string) => unknown
  /** Sends a file that the answer shows (R8). Without it the file's name is sent. */
  readonly sendFile?: ((file: FileAttachment) => unknown) | undefined
  /**
   * Shows a question with buttons. A press is a message of whoever pressed, with the choice's `say` as its words: hand it to `Bot.take`.
   * Without it the question is sent as words that say what to answer, and `/swipe` has no buttons.
   */
  readonly ask?: ((question: BotQuestion) => unknown) | undefined
  /** The ids of people who may answer for others, and give commands that change a group's conversation. */
  readonly operators?: readonly string[] | undefined
  /** Shows that the bot is typing. Without it nothing is shown. */
  readonly showTyping?: (() => unknown) | undefined
  /** Time between two calls of `showTyping`, in milliseconds. Default 4,000. */
  readonly typingEveryMs?: number | undefined
  /** Changes the words of a bubble before it is split, such as names into the platform's mentions. */
  readonly print?: ((text: string) => string) | undefined
  /** The language of the words for an error. Default `en`. */
  readonly locale?: string | undefined
  /** Gets the error of a turn that failed, of which the chat gets only words, and failures of `showTyping`. Default: `console.error`, without secrets. */
  readonly onError?: ((error: unknown) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Timers of a test. */
  readonly timers?: Timers | undefined
}

/**
 * Sends a turn's answer to a chat: each bubble as soon as it has ended, split within the platform's limit, and files where the answer
 * shows them, one after the other. Links and images are only those of the profile's `[output] links` (T48); the result's trace tells the others. A turn that failed is told in words for the person; one that was aborted, or chose to be silent,
 * sends nothing more. Resolves with the turn's result. Rejects with the platform's error if a message cannot be sent; the turn then
 * goes on, and what follows is not sent. Calls that wait for a person are asked about, also by a turn that answers one of several.
 */
export async function deliverTurn(turn: Turn, chat: BotChat): Promise<TurnResult> {
  checkType("the turn of deliverTurn", turn, "object")
  checkChat("deliverTurn", chat)
  checkShape("the turn of deliverTurn", turn, { result: "object" })
  const { showTyping, typingEveryMs = 4_000, onError = logError, print = (text) => text, locale = "en" } = chat
  const stop = showTyping ? keepTyping(showTyping, { everyMs: typingEveryMs, onError, timers: chat.timers }) : undefined
  let links: readonly string[] = []
  const say = (text: string) => sayText(text, chat, links)
  try {
    let result: TurnResult | undefined
    for await (const event of guardLinks(turn)) {
      if (event.type === "turn-start") links = event.links ?? []
      else if (event.type === "bubble") await say(print(event.text))
      else if (event.type === "attachment") await sendFile(event.attachment, links)
      else if (event.type === "turn-end") result = event.result
    }
    result ??= await turn.result
    if (!result.ok && result.error.code !== "aborted") {
      onError(result.error)
      await say(errorWords(result.error, locale))
    }
    for (const approval of (result.ok && result.approvals) || []) await askPerson(approval, chat, links)
    return result
  } finally {
    stop?.()
  }

  async function sendFile(file: FileAttachment, links: readonly string[]): Promise<void> {
    const { sendFile: send } = chat
    if (send === undefined) await say(withBrokenLinks(file.path, links))
    else await sendPatiently(() => send(file), chat)
  }
}

/** Returns a chat. Throws `usage` for one of a wrong shape. */
export function checkChat(of: string, chat: BotChat): BotChat {
  checkOptions(
    of,
    chat,
    "limit unit sendText sendFile ask operators showTyping typingEveryMs retryAfterMs attempts longestWaitMs print locale onError signal timers",
  )
  checkShape(`the chat of ${of}`, chat, chatShape)
  return chat
}

/** Asks about a call that waits, with the links of a policy: with buttons, or in words that say what to answer. */
export async function askPerson(approval: Approval, chat: BotChat, links: readonly string[] = []): Promise<void> {
  const { ask, locale = "en" } = chat
  const question = approvalQuestion(approval, locale, links)
  if (ask === undefined) await sayText(question.text, chat)
  else await sendPatiently(() => ask(question), chat)
}

/** Sends a text, split within the platform's limit. An address that only a cut within a word makes is broken if `links` does not allow it. */
export async function sayText(text: string, chat: BotChat, links: readonly string[] = []): Promise<void> {
  const parts = splitMessage(text, { limit: chat.limit, unit: chat.unit ?? "utf16" })
  const isClean = withBrokenLinks(text, links) === text
  for (const part of parts) {
    const shown = isClean ? withBrokenLinks(part, links) : part
    await sendPatiently(() => chat.sendText(shown), chat)
  }
}
