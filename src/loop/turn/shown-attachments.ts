import type { Attachment, FileAttachment, HistoryMessage, KeptRun } from "../../core/conversation.ts"
import { messageOf } from "../../core/errors.ts"
import type { LanguageModel, ModelPart, ModelRequest } from "../../core/model/language-model.ts"
import { pictureTypes, takesMedia } from "../../core/model/language-model.ts"
import type { Message, MessagePart } from "../../core/span.ts"
import { filled, type TextPart } from "../../core/value.ts"
import { maxAttachments, readBase64 } from "../../memory/services/attachments/read-attachments.ts"
import type { Dialect } from "../../prompt/dialect/dialect.ts"
import { renderNotice } from "../../prompt/dialect/render-notice.ts"
import { formatFileReference } from "../../prompt/encode/file-reference.ts"
import { shownSize } from "../../prompt/layers/history-entries.ts"
import type { Sight } from "../../prompt/layers/turn-state.ts"
import type { ToolAttachment } from "../../prompt/tools/tool.ts"
import { lostBefore } from "./fit-tool-text.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { warnOnce } from "./turn-outcome.ts"

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
  const { agent } = turn
  const sight = sightOf(model)
  const most = agent.profile.history.attachments
  const histories = [keepNewest(turn, { least: most, most: most * 2, sight })]
  if (turn.budgetTokens === undefined) return histories
  for (let next = most; next > 0; ) {
    next >>= 1
    histories.push(keepNewest(turn, { least: next, most: next, sight }))
  }
  return histories
}

/**
 * Names all attachments of earlier messages from now on, because the provider refused a request that had them: a URL may be dead by now.
 * False if there are none.
 */
export function nameOld(turn: TurnContext, model: LanguageModel): boolean {
  const { progress } = turn
  const fewer = keepNewest(turn, { least: 0, most: 0, sight: sightOf(model) })
  if (fewer === progress.shownHistory || !lostBefore.has(fewer)) return false
  progress.shownHistory = fewer
  warnOnce(turn, "file", "", `${model.id} refused a request with attachments of earlier messages; this turn only names them.`)
  return true
}

interface AttachmentLimits {
  /** Once there are more than `most`, the newest `least` stay. */
  readonly least: number
  readonly most: number
  readonly sight: Sight
}

/**
 * The history in which older attachments are only named, those of kept tool runs in their results. Returns the same array if all stay.
 */
function keepNewest({ agent, progress }: TurnContext, { least, most, sight }: AttachmentLimits): readonly HistoryMessage[] {
  const history = progress.shownHistory
  let shown: Attachment[] = []
  let [lost, unseen] = [0, 0]
  for (const message of history)
    for (const attachment of attachmentsOf(message)) {
      if (sight.tokensOf(attachment) === undefined) {
        if (!message.attachments?.includes(attachment)) unseen++
        continue
      }
      shown.push(attachment)
      if (shown.length <= most) continue
      lost += shown.length - least
      shown = least === 0 ? [] : shown.slice(-least)
    }
  if (lost + unseen === 0) return history
  const stays = new Set(shown)
  let tokens = 0
  const fewer = history.map((message) => {
    let isSame = true
    for (const attachment of attachmentsOf(message)) {
      const own = stays.has(attachment) ? undefined : sight.tokensOf(attachment)
      if (own !== undefined || !message.attachments?.includes(attachment)) isSame &&= stays.has(attachment)
      tokens += own ?? 0
    }
    return isSame ? message : withGone(message, { stays, sight, dialect: agent.dialect })
  })
  if (lost === 0) return fewer
  const reason = `attachments of earlier messages are only named: ${lost}; the newest are shown: ${shown.length}`
  const before = lostBefore.get(history)
  lostBefore.set(fewer, { tokens: tokens + (before?.tokens ?? 0), reason })
  return fewer
}

/** The attachments of a message, and those of the tool runs that stand behind its words. */
function attachmentsOf({ attachments = [], runs }: HistoryMessage): readonly Attachment[] {
  return runs ? [...attachments, ...runs.flatMap((run) => run.attachments ?? [])] : attachments
}

interface KeptAttachments {
  readonly stays: ReadonlySet<Attachment>
  readonly sight: Sight
  readonly dialect: Dialect
}

/** By message, its copies by the attachments that stay. The same object in all turns is printed and counted once. */
const copies = new WeakMap<HistoryMessage, Map<string, HistoryMessage>>()

function withGone(message: HistoryMessage, staying: KeptAttachments): HistoryMessage {
  const { stays, sight, dialect } = staying
  const made = copies.get(message) ?? new Map<string, HistoryMessage>()
  copies.set(message, made)
  const marks = attachmentsOf(message).map((attachment) => (stays.has(attachment) ? 1 : 0))
  const name = [dialect.name, dialect.locale, sight.key, ...marks].join(" ")
  const { attachments, runs } = message
  const copy = made.get(name) ?? {
    ...message,
    attachments: attachments?.map((attachment) => (stays.has(attachment) ? attachment : asGone(attachment))),
    runs: runs?.map((run) => withNamed(run, staying)),
  }
  made.set(name, copy)
  return copy
}

/** A run whose result names its attachments that the model does not get. */
function withNamed(run: KeptRun, { stays, sight, dialect }: KeptAttachments): KeptRun {
  const { attachments = [], result, ...rest } = run
  const staying = attachments.filter((attachment) => stays.has(attachment))
  if (staying.length === attachments.length) return run
  const lines = attachments.flatMap((attachment) => {
    if (stays.has(attachment)) return []
    const { name, mediaType = "", sizeBytes = 0 } = attachment
    const [family = ""] = mediaType.split("/")
    const values = {
      reference: formatFileReference({ path: name }),
      [family === "image" || family === "audio" ? family : "other"]: true,
      media_type: mediaType,
      size: shownSize(sizeBytes),
      gone: sight.tokensOf(attachment) !== undefined,
    }
    return [renderNotice(dialect, "files", values)]
  })
  return { ...rest, result: [result, ...lines].join("\n"), attachments: filled(staying) }
}

function asGone(attachment: Attachment): Attachment {
  const copy = { ...attachment }
  gone.add(copy)
  return copy
}

/** Warns of the attachments of this turn's message that the model does not get. */
export function warnOfUnseen(turn: TurnContext, model: LanguageModel): void {
  const sight = sightOf(model)
  for (const attachment of turn.input.attachments) {
    const { name, mediaType = "a file of this kind", blob, url } = attachment
    if ((blob ?? url) === undefined || sight.tokensOf(attachment) !== undefined) continue
    const isUrl = blob === undefined && takesMedia(model.capabilities.attachments ?? [], mediaType)
    const why = `${model.id} takes no ${isUrl ? "URL of " : ""}${mediaType}`
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
    const isTaken = sight.tokensOf(part.attachment) !== undefined && role !== "system" && role !== "developer"
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
  const bytes = progress.files.bytes.get(blob) ?? (await agent.blobs.get(blob, input.key))
  if (bytes) progress.files.bytes.set(blob, bytes)
  return bytes
}

/** The attachments of a tool's result that the first model takes. One that cannot be used is left out, with a warning. */
export async function resultParts(turn: TurnContext, tool: string, given: readonly ToolAttachment[]): Promise<TextPart[]> {
  const { agent, progress } = turn
  const sight = sightOf(agent.models[0])
  const parts: TextPart[] = []
  for (const { mediaType, base64 = "" } of given) {
    try {
      // A picture that is none would end the turn: providers refuse the whole request.
      const { attachment, bytes } = await readBase64(base64, mediaType, `a file of the tool ${tool}`)
      const tokens = sight.tokensOf(attachment)
      if (tokens === undefined) continue
      progress.files.bytes.set(attachment.blob, bytes)
      progress.files.madeBytes.set(attachment.blob, bytes)
      parts.push({ attachment, tokens })
    } catch (thrown) {
      warnOfFile(turn, thrown, "The model does not get")
    }
  }
  return parts
}

/** Tells that a file of a tool or of the model cannot be used. */
function warnOfFile(turn: TurnContext, thrown: unknown, begin: string): void {
  warn(turn, "file", `${begin} ${messageOf(thrown).split("\n", 1)}`)
}

/**
 * Reads a file that the model made, and keeps it for the turn's answer. Undefined for one that cannot be used: a warning says why. Never
 * rejects.
 */
export async function readMadeFile(
  turn: TurnContext,
  modelId: string,
  { mediaType, base64 }: ModelPart & { readonly type: "file" },
): Promise<FileAttachment | undefined> {
  const { made, madeBytes, bytes } = turn.progress.files
  try {
    const read = await readBase64(base64, mediaType, `a file of ${modelId}`)
    if (made.length >= maxAttachments) {
      warnOnce(turn, "file", "made", `${modelId} made more than ${maxAttachments} files in one turn; the others were left out.`)
      return undefined
    }
    made.push(read.attachment)
    madeBytes.set(read.attachment.blob, read.bytes)
    bytes.set(read.attachment.blob, read.bytes)
    const { name, blob, mediaType: type = mediaType } = read.attachment
    return { path: name, mediaType: type, bytes: read.bytes.length, base64, blob }
  } catch (thrown) {
    warnOfFile(turn, thrown, "The answer lacks")
    return undefined
  }
}
