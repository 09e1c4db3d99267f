import type { FileAttachment } from "../../core/conversation.ts"
import { late } from "../../core/late.ts"
import type { TokenCounter } from "../../core/ports.ts"
import { pipe } from "../../core/reader.ts"
import { defined, filled } from "../../core/value.ts"
import type { OutputSettings } from "../../profile/profile.ts"
import type { UnopenedFile } from "../../prompt/layers/turn-state.ts"
import { addPiece } from "../../reply/incoming-text.ts"
import type { AnswerLimit } from "../../reply/output/answer-limit.ts"
import type { AnswerLimiter } from "../../reply/output/answer-limiter.ts"
import { createGuardedReader } from "../../reply/output/guarded-reader.ts"
import { createTextStage, type OutputFormat, type OutputPart, type OutputReader } from "../../reply/output/output-part.ts"
import { createDelivery, createOutputReader } from "../../reply/output/output-reader.ts"
import type { TurnWarning } from "../../trace/trace.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import { FileQueue, type OpenAnswerFile } from "./answer-files.ts"

/**
 * The answer of a turn. The model's text goes in by `say`. It is read in the profile's format, and events come out: text,
 * bubbles, emotions, opened files. The `text-delta` events joined are `text`. Output behind a file reference waits until that
 * file is opened. Only this class sets its fields.
 */
export class AnswerOutput {
  /** True once an event of the answer was emitted, or a file of it began to be opened. */
  hasShown = false
  /** The caller's limit: it tells if it ended the answer, and what it left out of its beginning. */
  limiter: AnswerLimiter | undefined
  /** Files that the answer shows, in order. */
  readonly attachments: FileAttachment[] = []
  /** References that could not be opened. They stand in `text` as the model wrote them. */
  readonly unopened: UnopenedFile[] = []
  readonly #settings: OutputSettings
  readonly #to: AnswerSink
  #said: string[] = []
  /** The beginning of the answer while it may be a stamp; undefined once that is known. */
  #opening: string | undefined
  #readers: AnswerReaders | undefined
  #pipeline: Pipeline
  /** Created with the first file reference. */
  #files: FileQueue | undefined
  /** Files of the bubble at hand. They are told after it, since its words introduce them. */
  readonly #ofBubble: FileAttachment[] = []
  /** The emotions of the words of the bubble at hand. */
  #emotions: readonly string[] = []
  #startsParagraph = false
  #isRead = false
  #isOver = false
  #isCut = false

  constructor(settings: OutputSettings, to: AnswerSink) {
    this.#settings = settings
    this.#to = to
    this.#opening = to.stamps ? "" : undefined
    this.#pipeline = this.#newPipeline()
  }

  /**
   * Loads what reads file references and links, where the profile wants that, and what bounds the answer, where the caller does. Nothing
   * is said before it is there.
   */
  loadReaders(): Promise<void> | undefined {
    if (!this.#settings.files && !this.#settings.links && !this.#to.limit) return undefined
    return loadReaders().then((readers) => {
      this.#readers = readers
      this.#begin()
    })
  }

  #begin(): void {
    const { limit } = this.#to
    this.#pipeline = this.#newPipeline()
    this.limiter = limit && this.#readers && new this.#readers.AnswerLimiter(...limit)
  }

  /** The answer as the model said it, with the marks of its format. */
  get said(): string {
    return this.#said.join("") + (this.#opening ?? "")
  }

  /** The answer as history keeps it: as it was said, without the links that were removed. */
  get kept(): string {
    return this.#readers?.withoutLinks(this.said, this.#settings.links) ?? this.said
  }

  /** The answer as it is shown. Bubbles are paragraphs. */
  get text(): string {
    const { before, pieces } = this.#pipeline.delivery
    return before + pieces.join("")
  }

  /** Takes text of the model, and shows as much of it as can be shown already. */
  say(delta: string): void {
    let text = delta
    if (this.#opening !== undefined) {
      this.#opening += delta
      if (maybeStamp.test(this.#opening)) return
      // A model imitates the stamp that each line of the prompt has (R11).
      text = this.#opening.replace(stamp, "")
      this.#opening = undefined
    }
    this.#add(this.limiter ? this.limiter.push(text) : text)
  }

  #add(delta: string): void {
    if (delta === "") return
    if (this.#startsParagraph) this.#endParagraph()
    addPiece(this.#said, delta)
    this.#take(this.#pipeline.reader.push({ type: "text", delta }))
  }

  /** Takes what was held back, because other words do not follow it directly: the step has ended, or a file or a call follows. */
  flush(): void {
    const opening = this.#opening
    if (opening) {
      this.#opening = undefined
      this.say(opening)
    }
    this.#add(this.limiter?.end() ?? "")
  }

  /** Ends the paragraph where a tool call follows. The next text begins a new one. */
  part(): void {
    this.flush()
    this.#startsParagraph = this.#said.length > 0
  }

  /** Shows a file that the model made. It ends the paragraph, so that it stands behind the words that introduce it. */
  draw(file: Promise<FileAttachment | undefined>): void {
    this.flush()
    this.#take([
      ...this.#pipeline.reader.push({ type: "made-file", file }),
      ...this.#pipeline.reader.push({ type: "bubble-end" }),
    ])
    this.part()
  }

  /** Forgets what was said if nothing of it was shown, because the model is asked again. */
  restart(): void {
    if (this.hasShown) return
    this.#begin()
    this.#said = []
    this.#opening = this.#to.stamps ? "" : undefined
  }

  /** Ends the model's text. Returns a promise if files are still being opened; {@link end} must wait for it. */
  settle(): Promise<void> | undefined {
    if (!this.#isRead) {
      this.flush()
      this.#isRead = true
      this.#take(this.#pipeline.reader.end())
    }
    return this.#files?.idle()
  }

  /** Shows the rest that was held back. Later calls do nothing. The last bubble of a turn that failed is not whole, so it is not told. */
  end({ isWhole }: { readonly isWhole: boolean }): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isCut = !isWhole
    this.#files?.giveUp()
    void this.settle()
  }

  #newPipeline(): Pipeline {
    const { format, bubbles, files, links } = this.#settings
    const stages = files && this.#readers ? [this.#readers.createFileReferenceReader()] : []
    const hosts = this.#readers?.linkHosts(links)
    const guard = hosts && this.#readers?.createLinkReader(hosts)
    const { display } = this.#to
    const words = display && createTextStage(() => createGuardedReader(display))
    return {
      // Words that were changed may hold a link.
      last: words && guard ? pipe(words, guard) : (words ?? guard),
      reader: createOutputReader({ bubbles, stages, format }),
      delivery: createDelivery(),
    }
  }

  #endParagraph(): void {
    this.#startsParagraph = false
    addPiece(this.#said, "\n\n")
    this.#take(this.#pipeline.reader.push({ type: "bubble-end" }))
  }

  #take(parts: readonly OutputPart[]): void {
    for (const part of parts) {
      if (part.type === "file" || part.type === "made-file") {
        this.hasShown = true
        this.#files ??= this.#openFiles()
        // After the end nothing is opened any more: the reference is shown as it was written.
        if (this.#isOver) this.#files.giveUp()
      }
      if (this.#files === undefined) this.#show(part)
      else this.#files.push(part)
    }
  }

  #openFiles(): FileQueue {
    return new FileQueue(this.#to.open, {
      part: (part) => this.#show(part),
      opened: (attachment) => {
        this.attachments.push(attachment)
        this.#ofBubble.push(attachment)
      },
      unopened: (file) => void this.unopened.push(file),
    })
  }

  /** Words are changed for people, and links removed, last, because the text of a file that was not opened may be one. */
  #show(shown: OutputPart): void {
    const { emit } = this.#to
    for (const part of this.#pipeline.last?.push(shown) ?? [shown]) {
      const { pieces } = this.#pipeline.delivery
      const { text, bubble } = this.#pipeline.delivery.push(part)
      if (part.type === "emotion") this.#emotions = [...(pieces.length > 0 ? this.#emotions : []), part.emotion]
      if (text !== "") {
        this.hasShown = true
        emit({ type: "text-delta", delta: text })
      }
      if (bubble !== "" && !this.#isCut) emit({ type: "bubble", text: bubble, ...defined({ emotions: filled(this.#emotions) }) })
      if (part.type === "bubble-end") this.#emotions = this.#emotions.slice(-1)
      if (part.type === "bubble-end") for (const attachment of this.#ofBubble.splice(0)) emit({ type: "attachment", attachment })
      if (part.type === "text" || part.type === "bubble-end") continue
      const event = eventOf(part)
      if (event?.type === "warning") this.#to.warnings.push(event.warning)
      if (event === undefined || (this.#isCut && event.type === "empty-reply")) continue
      this.hasShown = true
      emit(event)
    }
  }
}

/** The places to which an answer goes. */
interface AnswerSink {
  readonly emit: (event: TurnEvent) => void
  /** The turn's warnings; those of the answer are emitted too. */
  readonly warnings: TurnWarning[]
  /** Without it, file references are text. */
  readonly open: OpenAnswerFile | undefined
  /** Changes the words on their way to a person. */
  readonly display?: OutputFormat | undefined
  /** True where lines of the prompt begin with a time, which an answer of its own must not. */
  readonly stamps?: boolean | undefined
  /** The bounds of the words, and the counter of their tokens. */
  readonly limit?: readonly [limit: AnswerLimit, counter: TokenCounter] | undefined
}

/** A time as lines of a prompt have it, before other words. More blanks belong to none. */
const stamp = /^\s{0,99}\d{8} \d{1,2}:\d{2}\s{1,99}(?=\S)/
/** A text that more text may make a stamp. */
const maybeStamp = /^\s{0,99}(?:\d{0,8}|\d{8} (?:\d{0,2}|\d{1,2}:\d?|\d{1,2}:\d{2}\s{0,99}))$/

type AnswerReaders = typeof import("../../reply/output/optional-readers.ts")

const loadReaders = late(() => import("../../reply/output/optional-readers.ts"))

/** The readers that an answer passes, in this order. */
interface Pipeline {
  readonly reader: ReturnType<typeof createOutputReader>
  readonly delivery: ReturnType<typeof createDelivery>
  readonly last: OutputReader | undefined
}

/** The event of a part that is not text. */
function eventOf(part: OutputPart): TurnEvent | undefined {
  if (part.type === "emotion" || part.type === "empty-reply") return part
  if (part.type === "event") return { type: "output-event", name: part.name, data: part.data }
  return part.type === "warning"
    ? { type: "warning", warning: { kind: part.kind ?? "format", message: part.message } }
    : undefined
}
