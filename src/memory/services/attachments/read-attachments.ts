import { checkMemberTypes, checkOptions } from "../../../core/check-options.ts"
import type { Attachment, AttachmentInput, HistoryMessage, ServiceKey, SessionKey } from "../../../core/conversation.ts"
import { attempt, PromptStrataError } from "../../../core/errors.ts"
import { pictureTypes } from "../../../core/model/language-model.ts"
import { orAborted } from "../../../core/timers.ts"
import type { FileFault, FileReferences } from "../file-references.ts"
import { blobId, bytesFromText } from "../store/blob.ts"
import type { BlobRecords } from "../store/records.ts"
import { fileHeader } from "./file-header.ts"

/** The most files that come with a message, or that a model makes in an answer. */
export const maxAttachments = 20
/** As many bytes as a store keeps under one id. */
const maxBytes = 20_000_000
const maxUrlLength = 8_192
const maxNameLength = 200

/** An attachment, with its bytes if they are not in the store yet. */
interface AttachmentWithBytes {
  readonly attachment: Attachment
  readonly bytes?: Uint8Array<ArrayBuffer>
}

/** Words with attachments that are not read yet. */
interface UnreadAttachments {
  readonly attached: readonly AttachmentInput[]
  readonly key: SessionKey | ServiceKey
}

/** The places that attachments are read from. */
interface AttachmentSources {
  readonly blobs: BlobRecords
  /** Opens a `path`. Without it a picture, a recording or a document of the workspace is refused. */
  readonly files: FileReferences | undefined
  readonly signal: AbortSignal
}

/** Attachments that were read, and their bytes by id. */
interface ReadAttachments {
  readonly attachments: readonly Attachment[]
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

/**
 * Adds to some words their attachments: checks and reads all of them, before any is kept. Throws `usage` for a value of the wrong form, and
 * `file`, `file-size` or `file-missing` for a file that cannot be used.
 */
export async function withAttachments<Words extends UnreadAttachments>(
  words: Words,
  { blobs, files, signal }: AttachmentSources,
): Promise<Words & ReadAttachments> {
  const { attached, key } = words
  const user = "user" in key ? key.user : ""
  if (!Array.isArray(attached)) throw unusable("attachments", "expected a list")
  if (attached.length > maxAttachments) {
    const hint = "Send the others with another message."
    throw new PromptStrataError("file", `expected at most ${maxAttachments} attachments, found ${attached.length}.`, { hint })
  }
  const attachments: Attachment[] = []
  const bytes = new Map<string, Uint8Array>()
  for (const [at, given] of attached.entries()) {
    const where = `attachment ${at + 1}`
    if (typeof given !== "object" || given === null) throw unusable(where, "expected an object")
    if ("blob" in given && typeof given.blob === "string") {
      const held = await orAborted(blobs.get(given.blob, key), signal)
      if (held === undefined)
        throw new PromptStrataError("file-missing", `${where}: the session's store has no bytes of this id.`)
      attachments.push({ ...described(held, given, where), blob: given.blob })
      bytes.set(given.blob, held)
      continue
    }
    const read = await readOne(given, where, (path) => files?.open({ path }, { key: { ...key, user }, signal }))
    attachments.push(read.attachment)
    if (read.bytes && read.attachment.blob) bytes.set(read.attachment.blob, read.bytes)
  }
  signal.throwIfAborted()
  return { ...words, attachments, bytes }
}

/** A conversation that its caller keeps, and where the bytes of its attachments go. */
export interface PastConversation {
  readonly key: SessionKey
  readonly blobs: BlobRecords
  readonly files: FileReferences | undefined
  readonly bytes: Map<string, Uint8Array>
}

/** The history with the attachments of the messages that it was made from. Throws as `withAttachments` does. */
export async function withPastAttachments(
  history: readonly HistoryMessage[],
  messages: readonly { readonly attachments?: readonly AttachmentInput[] | undefined }[],
  { key, blobs, files, bytes }: PastConversation,
): Promise<readonly HistoryMessage[]> {
  const { signal } = new AbortController()
  return Promise.all(
    history.map(async (message, at) => {
      const attached = messages[at]?.attachments ?? []
      if (attached.length === 0) return message
      const read = await withAttachments({ attached, key }, { blobs, files, signal })
      for (const [id, each] of read.bytes) bytes.set(id, each)
      return { ...message, attachments: read.attachments }
    }),
  )
}

const forms = { path: true, bytes: true, url: true, name: true, mediaType: true } as const

type OpenPath = (path: string) => ReturnType<FileReferences["open"]> | undefined

async function readOne(
  given: Exclude<AttachmentInput, { readonly blob: string }>,
  where: string,
  open: OpenPath,
): Promise<AttachmentWithBytes> {
  checkOptions(where, given as Partial<Record<keyof typeof forms, unknown>>, forms)
  checkMemberTypes(where, given, "name:string? mediaType:string?")
  if ("path" in given && typeof given.path === "string" && given.path.trim() !== "")
    return fileAt(given.path.toWellFormed(), where, open)
  if ("bytes" in given && given.bytes instanceof Uint8Array) return keepable(new Uint8Array(given.bytes), given, where)
  if ("url" in given && typeof given.url === "string") {
    const data = /^data:([^,]*),/is.exec(given.url.slice(0, 1_000))
    if (data)
      return keepable(dataBytes(given.url, data, where), { ...given, mediaType: given.mediaType ?? mediaTypeOf(data[1]) }, where)
    return { attachment: linked(given, where) }
  }
  throw unusable(where, "expected one of path, bytes, url and blob, found none that can be used")
}

function unusable(where: string, what: string): PromptStrataError {
  const hint = 'Such as `attachments: [{ path: "notes/plan.md" }, { bytes, mediaType: "image/png" }]`.'
  return new PromptStrataError("usage", `${where}: ${what}.`, { hint })
}

/** A file of the workspace: with its bytes if a model could see or hear it, else by its name, as tools can read it. */
async function fileAt(path: string, where: string, open: OpenPath): Promise<AttachmentWithBytes> {
  const ending = path.split(".").at(-1)?.toLowerCase() ?? ""
  const mediaType = typeOfEnding[ending]
  const isMedia = mediaType !== undefined || otherMedia.includes(ending)
  const named = { attachment: { name: path } }
  const opened = await open(path)
  if (opened === undefined && !isMedia) return named
  if (opened === undefined)
    throw new PromptStrataError("file", `${where}: expected a way to open files, found none for ${JSON.stringify(path)}.`, {
      hint: "Set `[output] file_references = true`, in code `output: { files: createFileReferences(workspace, { formats }) }`, or give the bytes.",
    })
  if (!opened.ok) {
    if (!isMedia && opened.fault === "unsupported") return named
    const code = opened.fault === "missing" ? "file-missing" : "file"
    throw new PromptStrataError(code, `${where}: ${JSON.stringify(path)} ${faultWords[opened.fault]}.`)
  }
  const bytes = bytesFromText(opened.attachment.base64)
  return !isMedia && fileHeader(bytes) === undefined ? named : keepable(bytes, { name: path, mediaType }, where)
}

/** Endings of pictures, recordings and films whose type no provider takes under one name. */
const otherMedia = ["heic", "heif", "avif", "bmp", "tif", "tiff", "svg", "m4a", "aac", "flac", "opus", "mp4", "mov", "webm"]

const faultWords: Readonly<Record<FileFault, string>> = {
  missing: "is not in the workspace",
  refused: "is not a file that may be opened",
  unsupported: "is of a format that is not in `[files] formats`",
  beyond: "has fewer lines",
  large: "is too large",
  failed: "could not be read",
}

type AttachmentLook = { readonly name?: string | undefined; readonly mediaType?: string | undefined }

async function keepable(bytes: Uint8Array<ArrayBuffer>, look: AttachmentLook, where: string): Promise<AttachmentWithBytes> {
  const attachment = described(bytes, look, where)
  return { attachment: { ...attachment, blob: await blobId(bytes) }, bytes }
}

/**
 * A file that a model made, named by its bytes, so that two pictures of a conversation never have one name. Throws `file` and `file-size` for
 * one that cannot be used.
 */
export async function readBase64(
  base64: string,
  mediaType: string,
  where: string,
): Promise<{ readonly attachment: Attachment & { readonly blob: string }; readonly bytes: Uint8Array }> {
  const size = Math.floor((base64.length * 3) / 4)
  if (size > maxBytes) throw tooLarge(where, size)
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = bytesFromText(base64)
  } catch (cause) {
    throw new PromptStrataError("file", `${where}: expected bytes in base64, found a text that is not base64.`, { cause })
  }
  const attachment = described(bytes, { mediaType }, where)
  const blob = await blobId(bytes)
  return { attachment: { ...attachment, name: attachment.name.replace(/(?=\.|$)/, `-${blob.slice(0, 8)}`), blob }, bytes }
}

/** The facts that the bytes and the caller tell. Bytes are believed more: providers refuse a picture under the type of another one. */
function described(bytes: Uint8Array, look: AttachmentLook, where: string): Attachment {
  if (bytes.length === 0) throw new PromptStrataError("file", `${where}: expected bytes, found none.`)
  if (bytes.length > maxBytes) throw tooLarge(where, bytes.length)
  const header = fileHeader(bytes)
  const said = mediaTypeOf(look.mediaType)
  const isDamaged = header !== undefined && pictureTypes.has(header.mediaType) && header.width === undefined
  if (isDamaged || (said !== undefined && pictureTypes.has(said) && !(header && pictureTypes.has(header.mediaType)))) {
    const found = isDamaged ? "one with a damaged header" : (header?.mediaType ?? "bytes of no kind that is known")
    throw new PromptStrataError("file", `${where}: expected a picture (${said ?? header?.mediaType}), found ${found}.`, {
      hint: "Nothing was kept. Send the picture again, as PNG, JPEG, GIF or WebP.",
    })
  }
  const mediaType = header && pictureTypes.has(header.mediaType) ? header.mediaType : (said ?? header?.mediaType)
  const { width, height } = header ?? {}
  return {
    name: nameOf(look.name, mediaType),
    ...(mediaType === undefined ? {} : { mediaType }),
    sizeBytes: bytes.length,
    ...(width === undefined || height === undefined ? {} : { width, height }),
  }
}

function tooLarge(where: string, sizeBytes: number): PromptStrataError {
  const message = `${where}: expected at most ${maxBytes} bytes, found ${sizeBytes}.`
  const hint = "Nothing was kept. Make the file smaller, or give its URL."
  return new PromptStrataError("file-size", message, { hint, evidence: { sizeBytes, maxBytes } })
}

/** The bytes of a `data:` URL. Its length is looked at before anything is decoded. */
function dataBytes(url: string, [head, type = ""]: RegExpExecArray, where: string): Uint8Array<ArrayBuffer> {
  const text = url.slice(head.length)
  const isBase64 = /;\s*base64\s*$/i.test(type)
  const size = isBase64 ? Math.floor((text.length * 3) / 4) : text.length
  if (size > maxBytes * (isBase64 ? 1 : 3)) throw tooLarge(where, size)
  try {
    return isBase64 ? bytesFromText(decodeURIComponent(text)) : new TextEncoder().encode(decodeURIComponent(text))
  } catch (cause) {
    throw new PromptStrataError("file", `${where}: expected a data: URL, found one that cannot be decoded.`, { cause })
  }
}

/** A file behind an address. Nothing is fetched here: most providers do that themselves. */
function linked({ url, name, mediaType }: AttachmentLook & { readonly url: string }, where: string): Attachment {
  if (url.length > maxUrlLength)
    throw new PromptStrataError("file", `${where}: expected a URL of at most ${maxUrlLength} characters, found ${url.length}.`)
  const address = URL.parse(url)
  if (!address || (address.protocol !== "https:" && address.protocol !== "http:")) {
    const message = `${where}: expected a URL of http:, https: or data:, found ${JSON.stringify(url.slice(0, 80))}.`
    throw new PromptStrataError("file", message)
  }
  const last = address.pathname.split("/").at(-1) ?? ""
  const said = mediaTypeOf(mediaType) ?? typeOfEnding[last.split(".").at(-1)?.toLowerCase() ?? ""]
  return {
    name: nameOf(name ?? (last === "" ? undefined : decoded(last)), said),
    ...(said === undefined ? {} : { mediaType: said }),
    url: address.href,
  }
}

function decoded(text: string): string {
  return attempt(() => decodeURIComponent(text), text)
}

const endings = {
  png: "image/png",
  jpg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
}
const typeOfEnding: Readonly<Record<string, string>> = { ...endings, jpeg: "image/jpeg" }

/** `audio/mpeg` of `Audio/MPEG; rate=1`. `undefined` for a text that is no media type. */
function mediaTypeOf(text = ""): string | undefined {
  return /^\s*([\w.+-]{1,60}\/[\w.+-]{1,80})\s*(?:;|$)/.exec(text)?.[1]?.toLowerCase()
}

function nameOf(name: string | undefined, mediaType = ""): string {
  const given = name?.toWellFormed().trim().slice(0, maxNameLength).toWellFormed()
  if (given) return given
  const [family = ""] = mediaType.split("/")
  const ending = Object.entries(endings).find(([, type]) => type === mediaType)?.[0]
  return `${["image", "audio"].includes(family) ? family : "file"}${ending === undefined ? "" : `.${ending}`}`
}
