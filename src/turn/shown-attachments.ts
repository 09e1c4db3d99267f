import type { Attachment, HistoryMessage } from "../core/conversation.ts"
import type { Message, MessagePart } from "../core/span.ts"
import type { TextPart } from "../core/value.ts"
import { dialectNames } from "../dialect/dialect-names.ts"
import type { Sight } from "../layers/turn-state.ts"
import { type LanguageModel, type ModelRequest, takesMedia } from "../model/language-model.ts"
import { fileHeader, pictureTypes } from "../services/attachments/file-header.ts"
import { blobId, bytesFromText } from "../services/store/blob.ts"
import type { ToolAttachment } from "../tools/tool.ts"
import { lostBefore } from "./fit-tool-text.ts"
import { type TurnContext, warnOnce } from "./turn-context.ts"

/** Copies of attachments that gave way to newer ones. */
const gone = new WeakSet<Attachment>()

/** A picture of which nobody knows the size counts as one of a phone's camera that was made smaller for a chat. */
const usualSide = 1_024
/** Bytes for each token of a recording (about 25 tokens a second of an MP3) and of a document. */
const bytesPerToken = { audio: 640, other: 50 }
const leastTokens = 100

/** The attachments that a model takes, with estimates of their tokens. */
export function sightOf({ id, capabilities }: LanguageModel): Sight {
  const { attachments = [], attachmentUrls = [], pictureTokens = tokensByArea } = capabilities
  return {
    key: JSON.stringify([id, attachments, attachmentUrls]),
    isGone: (attachment) => gone.has(attachment),
    tokensOf(attachment) {
      const { mediaType, blob, url, width = usualSide, height = usualSide, sizeBytes = 0 } = attachment
      if (mediaType === undefined || gone.has(attachment) || !takesMedia(attachments, mediaType)) return undefined
      if (blob === undefined && (url === undefined || !takesMedia(attachmentUrls, mediaType))) return undefined
      if (pictureTypes.has(mediaType)) return Math.ceil(pictureTokens(width, height))
      const perToken = mediaType.startsWith("audio/") ? bytesPerToken.audio : bytesPerToken.other
      return Math.max(leastTokens, Math.ceil(sizeBytes / perToken))
    },
  }
}

/** The formula of Anthropic, which lies between those of other providers. */
function tokensByArea(width: number, height: number): number {
  return Math.min(1_600, (width * height) / 750)
}

/**
 * The history with all attachments that a prompt may show, then with fewer and fewer of them, the oldest gone first. The first one has
 * the newest of the profile's setting and up to twice as many, so that the beginning of the prompt seldom changes.
 */
export function fewerAndFewer(turn: TurnContext, model: LanguageModel): readonly (readonly HistoryMessage[])[] {
  const { agent, progress } = turn
  const sight = sightOf(model)
  const most = agent.profile.history.attachments
  const histories = [keepNewest(progress.shownHistory, { least: most, most: most * 2, sight })]
  if (turn.budgetTokens === undefined) return histories
  for (let next = most; next > 0; ) {
    next >>= 1
    histories.push(keepNewest(progress.shownHistory, { least: next, most: next, sight }))
  }
  return histories
}

/**
 * Names all attachments of earlier messages from now on, because the provider refused a request that had them: a URL may be dead by now.
 * False if there are none.
 */
export function nameOld(turn: TurnContext, model: LanguageModel): boolean {
  const { progress } = turn
  const fewer = keepNewest(progress.shownHistory, { least: 0, most: 0, sight: sightOf(model) })
  if (fewer === progress.shownHistory) return false
  progress.shownHistory = fewer
  warnOnce(turn, "file", "", `${model.id} refused a request with attachments of earlier messages; this turn only names them.`)
  return true
}

interface Newest {
  /** Once there are more than `most`, the newest `least` stay. */
  readonly least: number
  readonly most: number
  readonly sight: Sight
}

/** The history in which older attachments are only named. Returns the same array if all stay. */
function keepNewest(history: readonly HistoryMessage[], { least, most, sight }: Newest): readonly HistoryMessage[] {
  let shown: Attachment[] = []
  let lost = 0
  for (const { attachments = [] } of history)
    for (const attachment of attachments) {
      if (sight.tokensOf(attachment) === undefined) continue
      shown.push(attachment)
      if (shown.length <= most) continue
      lost += shown.length - least
      shown = least === 0 ? [] : shown.slice(-least)
    }
  if (lost === 0) return history
  const stays = new Set(shown)
  let tokens = 0
  const fewer = history.map((message) => {
    const { attachments } = message
    if (attachments === undefined) return message
    let isSame = true
    for (const attachment of attachments) {
      const own = stays.has(attachment) ? undefined : sight.tokensOf(attachment)
      if (own !== undefined) isSame = false
      tokens += own ?? 0
    }
    return isSame ? message : withGone(message, attachments.filter((attachment) => stays.has(attachment)).length)
  })
  const reason = `${lost} attachments of earlier messages are only named; the newest ${shown.length} are shown`
  const before = lostBefore.get(history)
  lostBefore.set(fewer, { tokens: tokens + (before?.tokens ?? 0), reason })
  return fewer
}

/** By message, its copies by the number of its last attachments that stay. The same object in all turns is printed and counted once. */
const copies = new WeakMap<HistoryMessage, Map<number, HistoryMessage>>()

function withGone(message: HistoryMessage, staying: number): HistoryMessage {
  const made = copies.get(message) ?? new Map<number, HistoryMessage>()
  copies.set(message, made)
  const { attachments = [] } = message
  const copy = made.get(staying) ?? {
    ...message,
    attachments: attachments.map((attachment, at) => (at >= attachments.length - staying ? attachment : asGone(attachment))),
  }
  made.set(staying, copy)
  return copy
}

function asGone(attachment: Attachment): Attachment {
  const copy = { ...attachment }
  gone.add(copy)
  return copy
}

/** Warns of the attachments of this turn's message that the model does not get. */
export function warnOfUnseen(turn: TurnContext, model: LanguageModel): void {
  const { dialect } = turn.agent
  const namesOnly = dialectNames(dialect).byFile.get("files")?.has("other") !== true
  const sight = sightOf(model)
  for (const attachment of turn.input.attachments) {
    const { name, mediaType = "a file of this kind", blob, url } = attachment
    if ((blob ?? url) === undefined || (!namesOnly && sight.tokensOf(attachment) !== undefined)) continue
    const isUrl = blob === undefined && takesMedia(model.capabilities.attachments ?? [], mediaType)
    const why = namesOnly
      ? `The dialect ${dialect.name} shows names alone`
      : `${model.id} takes no ${isUrl ? "URL of " : ""}${mediaType}`
    warnOnce(turn, "file", name, `${why}: the model does not get ${name}, and the prompt names it.`)
  }
}

/** The request with the bytes of its attachments. Each is read from the store once in a turn. One that the model cannot get is left out, with a warning. */
export async function withBytes(turn: TurnContext, request: ModelRequest, model: LanguageModel): Promise<ModelRequest> {
  if (!request.messages.some(({ parts }) => parts)) return request
  const messages: Message[] = []
  for (const message of request.messages) {
    if (message.parts === undefined) messages.push(message)
    else {
      const { parts: given, ...rest } = message
      const parts = await partsWithBytes(turn, message, model)
      messages.push(parts.length > 0 ? { ...rest, parts } : rest)
    }
  }
  return { ...request, messages }
}

async function partsWithBytes(turn: TurnContext, { role, parts = [] }: Message, model: LanguageModel): Promise<MessagePart[]> {
  const sight = sightOf(model)
  const read: MessagePart[] = []
  for (const part of parts) {
    const { name, blob } = part.attachment
    const isTaken = sight.tokensOf(part.attachment) !== undefined && (role === "user" || role === "tool")
    const bytes = isTaken && blob !== undefined ? await bytesOf(turn, blob) : undefined
    if (isTaken && (bytes || blob === undefined)) read.push(bytes ? { ...part, bytes } : part)
    else {
      const why = isTaken ? "the store has its bytes no more" : `${model.id} takes none in a message of role ${role}`
      warnOnce(turn, "file", name, `The model does not get ${name}: ${why}.`)
    }
  }
  return read
}

async function bytesOf({ agent, input, progress }: TurnContext, blob: string): Promise<Uint8Array | undefined> {
  const bytes = progress.bytes.get(blob) ?? (await agent.blobs.get(blob, input.key))
  if (bytes) progress.bytes.set(blob, bytes)
  return bytes
}

/** The attachments of a tool's result that the first model takes. Their bytes stay with the turn and are not stored. */
export async function resultParts({ agent, progress }: TurnContext, given: readonly ToolAttachment[]): Promise<TextPart[]> {
  const sight = sightOf(agent.models[0])
  const parts: TextPart[] = []
  for (const { mediaType, base64 = "" } of given) {
    const bytes = decoded(base64)
    const header = bytes && fileHeader(bytes)
    // A picture that is none would end the turn: providers refuse the whole request.
    if (!bytes || (pictureTypes.has(mediaType) && header?.width === undefined)) continue
    const { width, height } = header ?? {}
    const blob = await blobId(bytes)
    const size = width === undefined || height === undefined ? {} : { width, height }
    const type = header && pictureTypes.has(header.mediaType) ? header.mediaType : mediaType
    const attachment = { name: type.replace("/", "."), mediaType: type, blob, sizeBytes: bytes.length, ...size }
    const tokens = sight.tokensOf(attachment)
    if (tokens === undefined) continue
    progress.bytes.set(blob, bytes)
    parts.push({ attachment, tokens })
  }
  return parts
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return bytesFromText(base64)
  } catch {
    return undefined
  }
}
