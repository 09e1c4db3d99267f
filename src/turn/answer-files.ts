import type { FileAttachment, ServiceKey } from "../core/conversation.ts"
import type { Ports } from "../core/ports.ts"
import { within } from "../core/timers.ts"
import type { FileReference } from "../encode/file-reference.ts"
import type { UnopenedFile } from "../layers/turn-state.ts"
import type { Profile } from "../profile/profile.ts"
import type { OutputPart } from "../reply/output/output-part.ts"
import type { OpenedFile } from "../services/file-references.ts"

/** Opens a file for an answer; `undefined` once the turn was aborted. Never rejects. */
export type OpenFile = (reference: FileReference) => Promise<OpenedFile | undefined>

type FilePart = OutputPart & { type: "file" }

/** Where what comes out of a {@link FileQueue} goes. */
interface FileSink {
  readonly part: (part: OutputPart) => void
  readonly attach: (attachment: FileAttachment) => void
}

/**
 * Parts of an answer in order: while a file is being opened, what stands behind it waits. A file that cannot be opened is passed
 * on as the words it was written with (R8); without any file nothing ever waits.
 */
export class FileQueue {
  readonly attachments: FileAttachment[] = []
  readonly unopened: UnopenedFile[] = []
  readonly #open: OpenFile | undefined
  readonly #sink: FileSink
  #waiting: OutputPart[] = []
  #opening: { readonly part: FilePart; readonly done: Promise<void> } | undefined
  #isStopped = false
  #isGivenUp = false

  constructor(open: OpenFile | undefined, sink: FileSink) {
    this.#open = open
    this.#sink = sink
  }

  push(part: OutputPart): void {
    if (this.#opening) this.#waiting.push(part)
    else this.#pass(part)
  }

  /** Settles once nothing is being opened any more and everything was passed on; absent where that is so already. */
  idle(): Promise<void> | undefined {
    return this.#isStopped ? undefined : this.#opening?.done.then(() => this.idle())
  }

  /** Opens nothing more: what waits is passed on at once, files as words, and nothing is told of them. */
  giveUp(): void {
    this.#isGivenUp = true
    const opening = this.#opening
    this.#opening = undefined
    if (opening) this.#sink.part(asText(opening.part))
    this.#passWaiting()
  }

  #pass(part: OutputPart): void {
    if (part.type !== "file") this.#sink.part(part)
    else if (this.#open === undefined || this.#isGivenUp) this.#sink.part(asText(part))
    else this.#start(part, this.#open)
  }

  #start(part: FilePart, open: OpenFile): void {
    const done = open(part.reference).then((opened) => {
      // What waits is passed on by whoever ends the aborted turn, as part of an answer that is not whole.
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
      this.attachments.push(opened.attachment)
      this.#sink.attach(opened.attachment)
      return
    }
    const { fault, totalLines } = opened
    this.unopened.push({ written: part.written, fault, ...(totalLines === undefined ? {} : { totalLines }) })
    this.#sink.part(asText(part))
  }

  #passWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const part of waiting) this.push(part)
  }
}

function asText({ written }: FilePart): OutputPart {
  return { type: "text", delta: written }
}

/** The turn's way to open what its answer shows (R8), within the time of one tool run; absent where the profile has none. */
export function fileOpener(
  { profile, ports }: { readonly profile: Profile; readonly ports: Ports },
  key: ServiceKey,
  signal: AbortSignal,
): OpenFile | undefined {
  const { output, limits } = profile
  const { files } = output
  if (!files) return undefined
  return async (reference) => {
    const outcome = await within({ timeoutMs: limits.toolMs, signal, timers: ports.timers }, (fileSignal) =>
      files.open(reference, { key, signal: fileSignal }),
    )
    if (outcome.status === "aborted") return undefined
    return outcome.status === "done" && isOpened(outcome.value) ? outcome.value : { ok: false, fault: "failed" }
  }
}

/** Code without types may hand over anything. */
function isOpened(value: unknown): value is OpenedFile {
  if (typeof value !== "object" || value === null) return false
  const { ok, attachment, fault } = value as Readonly<Record<string, unknown>>
  return (ok === false && typeof fault === "string") || (ok === true && typeof attachment === "object" && attachment !== null)
}

/** Beside the hooks' states: a hook of this name would share it. */
const owner = "file-references"

/** What the last turn could not open, as that turn left it (R8); anything else in its place counts as nothing. */
export function fileFaultsOf(hookStates: Readonly<Record<string, unknown>>): readonly UnopenedFile[] {
  const kept = hookStates[owner]
  return Array.isArray(kept) ? kept.filter(isUnopened) : []
}

/** Leaves what this turn could not open for the next one, with its commit; what was left before has been told. */
export function leaveFileFaults(hookStates: Map<string, unknown>, faults: readonly UnopenedFile[]): void {
  if (faults.length > 0 || hookStates.has(owner)) hookStates.set(owner, faults)
}

function isUnopened(value: unknown): value is UnopenedFile {
  if (typeof value !== "object" || value === null) return false
  const { written, fault } = value as Readonly<Record<string, unknown>>
  return typeof written === "string" && typeof fault === "string"
}
