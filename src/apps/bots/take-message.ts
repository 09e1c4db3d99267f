import { checkMemberTypes, checkOptions, checkType } from "../../core/check-options.ts"
import type { AttachmentInput } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { NewestMap } from "../../core/memo.ts"
import { contextOf } from "../../loop/agent/published-agents.ts"
import { runCommand, swipeQuestion, unlessRefused } from "../../loop/agent/second-thoughts/chat-commands.ts"
import type { Session } from "../../loop/agent/session.ts"
import type { ReceiveOptions } from "../../loop/agent/session-options.ts"
import { withoutLinks } from "../../reply/output/link-reader.ts"
import { answerTyped, readTypedAnswer } from "../../trace/approval-question.ts"
import { errorWords } from "../../trace/error-words.ts"
import { logError } from "../../trace/log-error.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import type { BotMessage } from "./bot-message.ts"
import { type BotChat, deliverTurn, sayText } from "./deliver-turn.ts"
import { fetchAttachment } from "./fetch-attachment.ts"
import { withMediaWords } from "./media-words.ts"
import { sendPatiently } from "./send-patiently.ts"

/** The last message that was answered of each private conversation, the newest last. Sessions may be collected between two messages. */
const lastAsked = new NewestMap<string, { readonly id: string; readonly turnId: string }>(10_000)

/** A message that is whole, with its media in its words and the bytes of its files. */
export interface ReadyMessage extends BotMessage {
  readonly files: readonly AttachmentInput[]
  /** True if a person wrote words, which can be edited. */
  readonly hasWords: boolean
  /** True if an operator of the bot gave this answer on a page, for the person who was asked. */
  readonly byOperator?: boolean
}

/** Throws `usage` for a message of a wrong shape. */
export function checkMessage(message: BotMessage): void {
  checkType("the message of take", message, "object")
  checkOptions("the message of take", message, "id text from atMs files media album isEdit replyTo mentions")
  checkMemberTypes("the message of take", message, "id:string text:string from:object files:list? media:objects?")
}

/** Makes a message ready. Undefined if a file cannot be loaded, which is told. */
export async function readied(session: Session, message: BotMessage, chat: BotChat): Promise<ReadyMessage | undefined> {
  const { files = [], media = [], ...rest } = message
  const { onError = logError, locale = "en" } = chat
  const load = async (file: (typeof files)[number]) => {
    if (typeof file !== "string" && typeof file !== "function") checkType("a file of the message", file, "object")
    return typeof file === "object" ? file : fetchAttachment(typeof file === "string" ? file : await file())
  }
  try {
    const text = withMediaWords(message.text, media, locale)
    // Words without files are passed on at once, so that messages keep their order.
    const hasWords = message.text.trim() !== ""
    return { ...rest, text, hasWords, files: files.length > 0 ? await Promise.all(files.map(load)) : [] }
  } catch (error) {
    if (PromptStrataError.isInstance(error) && error.code === "usage") throw error
    onError(error)
    if (session.key.audience === "private" || isFor(session.key.agent, message)) await chat.sendText(errorWords(error, locale))
    return undefined
  }
}

/**
 * Takes a message that is ready: it is answered in the chat as {@link deliverTurn} does, or heard, as `createAgent({ shouldAnswer })`
 * decides. Words such as `yes K4T7B2` answer a call that waits for a person, and a command such as `/new` is run. An edit of the last
 * message of a private conversation is answered in its place; any other edit is heard. A message without words and files is left out.
 * Resolves with the result of the turn if there was one. `kept` are the options of a turn that is taken up after a crash.
 */
export async function takeReady(
  session: Session,
  message: ReadyMessage,
  chat: BotChat,
  kept: Pick<ReceiveOptions, "journal" | "inject"> = {},
): Promise<TurnResult | undefined> {
  const { id, text, from, atMs, files: attachments, isEdit = false, replyTo, mentions } = message
  const isAlone = attachments.length === 0
  if (text.trim() === "" && isAlone) return undefined
  const typed = isAlone ? readTypedAnswer(text) : undefined
  const isOperator = message.byOperator || chat.operators?.includes(from.id)
  if (typed) return deliverTurn(answerTyped(session, typed, isOperator ? undefined : from.id), chat)
  const isPrivate = session.key.audience === "private"
  const mayChange = isPrivate || chat.operators?.includes(from.id) === true
  const asked = { session, from, locale: chat.locale ?? "en", mayChange }
  const command = isAlone && !isEdit ? await runCommand(text, asked) : undefined
  if (command) {
    const { links = [] } = (await contextOf(session)).profile.output
    const result = "turn" in command ? await deliverTurn(command.turn, chat) : undefined
    if ("text" in command) await sayText(withoutLinks(command.text, links), chat)
    const others = chat.ask && swiping.test(text) && mayChange && (await swipeQuestion(asked))
    if (others) await sendPatiently(() => chat.ask?.(others), chat)
    return result
  }
  const conversation = JSON.stringify([session.key.agent, session.key.conversation])
  const last = isPrivate && isEdit ? lastAsked.get(conversation) : undefined
  const edited = last?.id === id ? last : undefined
  const said = { from, attachments, replyTo, mentions, atMs }
  if (isEdit && edited === undefined) {
    await session.hear(text, said)
    return undefined
  }
  const anew = edited && (await unlessRefused(session.edit(`${edited.turnId}:0`, text)))
  const received = anew ? undefined : await session.receive(text, { ...said, ...kept })
  const turn = anew ?? (received?.answers ? received.turn : undefined)
  if (turn === undefined) return undefined
  if (isPrivate) lastAsked.set(conversation, { id, turnId: turn.id })
  return deliverTurn(turn, chat)
}

/** The commands after which there may be other greetings or answers to go to. */
const swiping = /^\s*\/(?:start|new|regenerate|swipe)(?![a-z])/

/** True for words that name the agent or reply to it. */
function isFor(agent: string, { replyTo, mentions }: BotMessage): boolean {
  return mentions?.some(({ id }) => id === agent) === true || (typeof replyTo === "object" && replyTo.from.id === agent)
}
