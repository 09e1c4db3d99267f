import type { FileAttachment, ServiceKey } from "../../core/conversation.ts"
import type { Ports } from "../../core/ports.ts"
import { within } from "../../core/timers.ts"
import type { OpenedFile } from "../../memory/services/file-references.ts"
import type { Profile } from "../../profile/profile.ts"
import type { FileReference } from "../../prompt/encode/file-reference.ts"
import type { UnopenedFile } from "../../prompt/layers/turn-state.ts"
import type { OutputPart } from "../../reply/output/output-part.ts"

/** Opens a file for an answer. Resolves with `undefined` if the turn was aborted. Never rejects. */
export type OpenAnswerFile = (reference: FileReference) => Promise<OpenedFile | undefined>

type FilePart = OutputPart & { type: "file" | "made-file" }

/** Takes the output of a {@link FileQueue}. */
interface FileSink {
  readonly part: (part: OutputPart) => void
  readonly opened: (attachment: FileAttachment) => void
  readonly unopened: (file: UnopenedFile) => void
}

/**
 * Keeps the parts of an answer in order. While a file is being opened, the parts behind it wait. A file that cannot be opened is
 * passed on as the text that stood for it (R8).
 */
export class FileQueue {
  readonly #open: OpenAnswerFile | undefined
  readonly #sink: FileSink
  readonly #waiting: OutputPart[] = []
  #opening: { readonly part: FilePart; readonly done: Promise<void> } | undefined
  #isStopped = false
  #isGivenUp = false

  /** Without `open`, every file is passed on as text. */
  constructor(open: OpenAnswerFile | undefined, sink: FileSink) {
    this.#open = open
    this.#sink = sink
  }

  push(part: OutputPart): void {
    if (this.#opening) this.#waiting.push(part)
    else this.#pass(part)
  }

  /** Returns a promise that settles once every part was passed on, or `undefined` if that is so already. */
  idle(): Promise<void> | undefined {
    return this.#isStopped ? undefined : this.#opening?.done.then(() => this.idle())
  }

  /** Opens no more files. The parts that wait are passed on at once, files among them as text. */
  giveUp(): void {
    this.#isGivenUp = true
    const opening = this.#opening
    this.#opening = undefined
    if (opening) this.#sink.part(asText(opening.part))
    this.#passWaiting()
  }

  #pass(part: OutputPart): void {
    if (part.type !== "file" && part.type !== "made-file") this.#sink.part(part)
    else if (this.#isGivenUp) this.#sink.part(asText(part))
    else if (part.type === "made-file") this.#start(part, part.file.then(ofModel))
    else if (this.#open === undefined) this.#sink.part(asText(part))
    else this.#start(part, this.#open(part.reference))
  }

  #start(part: FilePart, opening: Promise<OpenedFile | undefined>): void {
    const done = opening.then((opened) => {
      // The turn was aborted. Whoever ends it calls `giveUp`, which passes the waiting parts on.
      this.#isStopped = opened === undefined
      if (this.#isGivenUp || opened === undefined) return
      this.#opening = undefined
      this.#end(part, opened)
      this.#passWaiting()
    })
    this.#opening = { part, done }
  }

  #end(part: FilePart, opened: OpenedFile): void {
    if (opened.ok) {
      this.#sink.opened(opened.attachment)
      return
    }
    if (part.type === "made-file") return
    const { fault, totalLines } = opened
    this.#sink.unopened({ written: part.written, fault, totalLines })
    this.#sink.part(asText(part))
  }

  #passWaiting(): void {
    while (!this.#opening && this.#waiting.length > 0) this.#pass(this.#waiting.shift() as OutputPart)
  }
}

function asText(part: FilePart): OutputPart {
  return { type: "text", delta: part.type === "file" ? part.written : "" }
}

/** A file of the model that cannot be used was told already. */
function ofModel(attachment: FileAttachment | undefined): OpenedFile {
  return attachment ? { ok: true, attachment } : { ok: false, fault: "failed" }
}

/** Opens the files that a turn's answer shows (R8), each within the time limit of a tool run. */
export function fileOpener(
  files: NonNullable<Profile["output"]["files"]>,
  { profile, ports }: { readonly profile: Profile; readonly ports: Ports },
  { key, signal }: { readonly key: ServiceKey; readonly signal: AbortSignal },
): OpenAnswerFile {
  return async (reference) => {
    const outcome = await within({ timeoutMs: profile.limits.toolMs, signal, timers: ports.timers }, (fileSignal) =>
      files.open(reference, { key, signal: fileSignal }),
    )
    if (outcome.status === "aborted") return undefined
    return outcome.status === "done" && isOpened(outcome.value) ? outcome.value : { ok: false, fault: "failed" }
  }
}

/** The profile may come from code without types, so the result of its `open` is checked. */
function isOpened(value: unknown): value is OpenedFile {
  if (typeof value !== "object" || value === null) return false
  const { ok, attachment, fault } = value as Readonly<Record<string, unknown>>
  return (ok === false && typeof fault === "string") || (ok === true && typeof attachment === "object" && attachment !== null)
}
