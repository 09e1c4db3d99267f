import { checkOptions, checkShape, checkType } from "../../core/check-options.ts"
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
import { withMediaWords } from "./media-words.ts"
import { sendPatiently } from "./send-patiently.ts"

/** Options of {@link fetchAttachment}. */
export interface FetchAttachmentOptions {
  /** The name in prompts. Default: the end of the URL's path. */
  readonly name?: string | undefined
  /** Default: the kind that the server names or, for a picture, that the first bytes show. */
  readonly mediaType?: string | undefined
  /** The most bytes that are read. Default 20,000,000. */
  readonly maxBytes?: number
  /** Ends the download. Default: after 30 seconds. */
  readonly signal?: AbortSignal
  /** Sends the request. Default: the host's `fetch`. */
  readonly fetch?: (url: string, options: { readonly signal: AbortSignal }) => Promise<Response>
}

/**
 * Loads a file of a message, for `attachments` of `send` and `hear`. Addresses of platforms expire or hold the bot's key, so no model gets
 * them. Rejects with `file-missing` or `file` for a file that cannot be loaded and `file-size` for one that is too large, of which no more
 * is read. The errors do not hold the address.
 */
export async function fetchAttachment(url: string, options: FetchAttachmentOptions = {}): Promise<AttachmentInput> {
  checkOptions("fetchAttachment", options, "name mediaType maxBytes signal fetch")
  const parsed = URL.parse(url)
  // The error of the host's `fetch` would hold the address, which can hold the bot's key.
  if (!parsed && (typeof url !== "string" || !options.fetch)) {
    const found = typeof url === "string" ? "a text that is no URL" : typeof url === "object" ? "an object" : String(url)
    throw new PromptStrataError("file", `expected the URL of a file to attach, found ${found}.`)
  }
  const { maxBytes = 20_000_000, signal = AbortSignal.timeout(30_000), fetch = globalThis.fetch } = options
  try {
    const response = await fetch(url, { signal })
    const bytes = await bytesOf(response, maxBytes)
    const said = response.headers.get("content-type") ?? undefined
    const mediaType = options.mediaType ?? (said?.startsWith("application/octet-stream") ? undefined : said)
    // The path of a data URL is the file itself.
    const name = options.name ?? (parsed?.protocol === "data:" ? undefined : parsed?.pathname.split("/").at(-1))
    return { bytes, name: name || undefined, mediaType: mediaType || undefined }
  } catch (error) {
    if (PromptStrataError.isInstance(error)) throw error
    const why = signal.aborted ? "it took too long, or was ended" : "the connection failed"
    throw new PromptStrataError("file", `expected a file to attach; it could not be loaded: ${why}.`, { cause: error })
  }
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  const { ok, status, headers } = response
  const length = Number(headers.get("content-length") ?? 0)
  if (!ok || length > maxBytes) await response.body?.cancel()
  if (!ok) throw new PromptStrataError("file-missing", `expected a file to attach; the server answered with status ${status}.`)
  if (length > maxBytes) throw tooLarge(length, maxBytes)
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw tooLarge(sizeBytes, maxBytes)
    chunks.push(chunk)
  }
  return new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
}

function tooLarge(sizeBytes: number, maxBytes: number): PromptStrataError {
  const message = `expected a file of at most ${maxBytes} bytes to attach, found ${sizeBytes} or more.`
  return new PromptStrataError("file-size", message, { evidence: { sizeBytes, maxBytes } })
}

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
  checkOptions("the message of take", message, "id text from atMs files media album isEdit replyTo mentions")
  const person = { id: "string", "name?": "string" }
  const replyTo = typeof message.replyTo === "string" ? "string" : { from: person }
  const told = { id: "string", text: "string", from: person, "atMs?": "number", "files?": "list", "media?": [{ kind: "string" }] }
  checkShape("the message of take", message, { ...told, "replyTo?": replyTo, "mentions?": [person] })
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
  kept: Pick<ReceiveOptions, "journal"> = {},
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
    if ("text" in command) await sayText(withoutLinks(command.text, links), chat, links)
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
