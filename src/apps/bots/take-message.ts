import { checkOptions, checkType } from "../../core/check-options.ts"
import type { AttachmentInput } from "../../core/conversation.ts"
import { contextOf } from "../../loop/agent/published-agents.ts"
import { type CommandOutcome, runCommand, unlessRefused } from "../../loop/agent/second-thoughts/chat-commands.ts"
import type { Session } from "../../loop/agent/session.ts"
import { withoutLinks } from "../../reply/output/link-reader.ts"
import { answerTyped, readTypedAnswer } from "../../trace/approval-question.ts"
import { errorWords } from "../../trace/error-words.ts"
import { logError } from "../../trace/log-error.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import { wholeAlbum } from "./album.ts"
import type { BotMessage } from "./bot-message.ts"
import { type BotChat, deliverTurn, sayText } from "./deliver-turn.ts"
import { fetchAttachment } from "./fetch-attachment.ts"
import { withMediaWords } from "./media-words.ts"

/** The last message that was answered of each private conversation, the newest last. Sessions may be collected between two messages. */
const lastAsked = new Map<string, { readonly id: string; readonly turnId: string }>()
const maxLastAsked = 10_000

/**
 * Hands a message of a platform to a session: it is answered in the chat as {@link deliverTurn} does, or heard, as `createAgent({ shouldAnswer })` decides. Words such as `yes K4T7B2` answer a call that waits for a person, and a command such as `/new` is run. An edit of the last
 * message of a private conversation is answered in its place; any other edit is heard. A file that cannot be loaded is told in words, and
 * its message is not answered; in a group only if the words are for the agent. A message without words, files and media is left out. An album is one message. Resolves with the result of the turn if there was one.
 */
export async function takeMessage(session: Session, message: BotMessage, chat: BotChat): Promise<TurnResult | undefined> {
  checkType("the session of takeMessage", session, "object")
  checkType("the message of takeMessage", message, "object")
  checkOptions("takeMessage", message, "id text from atMs files media album isEdit replyTo mentions")
  const isPart = message.album !== undefined && message.isEdit !== true
  const whole = isPart ? await wholeAlbum(session, message, chat.timers) : message
  if (whole === undefined) return undefined
  return takeWhole(session, { ...whole, text: withMediaWords(whole.text, whole.media ?? [], chat.locale ?? "en") }, chat)
}

/** Takes a message of which no other part comes, and which has its media in its words. */
async function takeWhole(session: Session, message: BotMessage, chat: BotChat): Promise<TurnResult | undefined> {
  const { id, text, from, atMs, files = [], isEdit = false, replyTo, mentions } = message
  if (text.trim() === "" && files.length === 0) return undefined
  const typed = files.length === 0 ? readTypedAnswer(text) : undefined
  if (typed) return deliverTurn(answerTyped(session, typed, chat.operators?.includes(from.id) ? undefined : from.id), chat)
  const isPrivate = session.key.audience === "private"
  const command = files.length === 0 && !isEdit ? await commandIn(session, message, chat) : undefined
  if (command && "turn" in command) return deliverTurn(command.turn, chat)
  if (command) {
    const { links = [] } = (await contextOf(session)).profile.output
    await sayText(withoutLinks(command.text, links), chat)
    return undefined
  }
  const conversation = JSON.stringify([session.key.agent, session.key.conversation])
  const last = isPrivate && isEdit ? lastAsked.get(conversation) : undefined
  const edited = last?.id === id ? last : undefined
  const { onError = logError, sendText, locale = "en" } = chat
  let attachments: readonly AttachmentInput[] = []
  try {
    // Words without files are passed on at once, so that messages keep their order.
    if (files.length > 0) attachments = await loaded(files)
  } catch (error) {
    onError(error)
    if (isEdit ? edited === undefined : !isPrivate && !isFor(session.key.agent, message)) return undefined
    await sendText(errorWords(error, locale))
    return undefined
  }
  const said = { from, attachments, replyTo, mentions, atMs }
  if (isEdit && edited === undefined) {
    await session.hear(text, said)
    return undefined
  }
  const anew = edited && (await unlessRefused(session.edit(`${edited.turnId}:0`, text)))
  const received = anew ? undefined : await session.receive(text, said)
  const turn = anew ?? (received?.answers ? received.turn : undefined)
  if (turn === undefined) return undefined
  if (isPrivate) remember(conversation, { id, turnId: turn.id })
  return deliverTurn(turn, chat)
}

async function commandIn(session: Session, { text, from }: BotMessage, chat: BotChat): Promise<CommandOutcome | undefined> {
  if (!text.trim().startsWith("/")) return undefined
  const mayChange = session.key.audience === "private" || chat.operators?.includes(from.id) === true
  return runCommand(text, { session, from, locale: chat.locale ?? "en", mayChange })
}

/** True for words that name the agent or reply to it. */
function isFor(agent: string, { replyTo, mentions }: BotMessage): boolean {
  return mentions?.some(({ id }) => id === agent) === true || (typeof replyTo === "object" && replyTo.from.id === agent)
}

function remember(conversation: string, asked: { readonly id: string; readonly turnId: string }): void {
  lastAsked.delete(conversation)
  lastAsked.set(conversation, asked)
  const [oldest] = lastAsked.size > maxLastAsked ? lastAsked.keys() : []
  if (oldest !== undefined) lastAsked.delete(oldest)
}

function loaded(files: NonNullable<BotMessage["files"]>): Promise<readonly AttachmentInput[]> {
  return Promise.all(files.map(async (file) => fetchAttachment(typeof file === "string" ? file : await file())))
}
