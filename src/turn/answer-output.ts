import type { FileAttachment } from "../core/conversation.ts"
import type { UnopenedFile } from "../layers/turn-state.ts"
import type { OutputSettings } from "../profile/profile.ts"
import { createBubbleCollector, createTextCollector } from "../reply/output/delivery.ts"
import { createFileReferenceReader } from "../reply/output/file-reference-reader.ts"
import type { OutputPart } from "../reply/output/output-part.ts"
import { createOutputReader } from "../reply/output/output-reader.ts"
import type { TurnEvent } from "../trace/turn-event.ts"
import { FileQueue, type OpenFile } from "./answer-files.ts"

/**
 * The answer of a turn. The model's text goes in by `say`. It is read in the profile's format, and events come out: text,
 * bubbles, emotions, opened files. The `text-delta` events joined are `text`. Output behind a file reference waits until that
 * file is opened. Only this class sets its fields.
 */
export class AnswerOutput {
  /** The answer as the model said it, with the marks of its format. History keeps this. */
  said = ""
  /** The answer as it is shown. Bubbles are paragraphs. */
  text = ""
  /** True once an event of the answer was emitted, or a file of it began to be opened. */
  hasShown = false
  /** Files that the answer shows, in order. */
  readonly attachments: FileAttachment[] = []
  /** References that could not be opened. They stand in `text` as the model wrote them. */
  readonly unopened: UnopenedFile[] = []
  readonly #settings: OutputSettings
  readonly #emit: (event: TurnEvent) => void
  readonly #open: OpenFile | undefined
  #pipeline: Pipeline
  /** Created with the first file reference. */
  #files: FileQueue | undefined
  #startsParagraph = false
  #isRead = false
  #isOver = false
  #isCut = false

  /** Without `open`, file references are text. */
  constructor(settings: OutputSettings, emit: (event: TurnEvent) => void, open: OpenFile | undefined) {
    this.#settings = settings
    this.#emit = emit
    this.#open = open
    this.#pipeline = newPipeline(settings)
  }

  /** Takes text of the model, and shows as much of it as can be shown already. */
  say(delta: string): void {
    if (delta === "") return
    if (this.#startsParagraph) this.#endParagraph()
    this.said += delta
    this.#take(this.#pipeline.reader.push({ type: "text", delta }))
  }

  /** Ends the paragraph where a tool call follows. The next text begins a new one. */
  part(): void {
    this.#startsParagraph = this.said !== ""
  }

  /** Forgets what was said if nothing of it was shown, because the model is asked again. */
  restart(): void {
    if (this.hasShown) return
    this.#pipeline = newPipeline(this.#settings)
    this.said = ""
  }

  /** Ends the model's text. Returns a promise if files are still being opened; {@link end} must wait for it. */
  settle(): Promise<void> | undefined {
    this.#readToEnd()
    return this.#files?.idle()
  }

  /** Shows the rest that was held back. Later calls do nothing. The last bubble of a turn that failed is not whole, so it is not told. */
  end({ isWhole }: { readonly isWhole: boolean }): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isCut = !isWhole
    this.#files?.giveUp()
    this.#readToEnd()
    this.#tellBubbles(this.#pipeline.bubbles.end())
  }

  #readToEnd(): void {
    if (this.#isRead) return
    this.#isRead = true
    this.#take(this.#pipeline.reader.end())
  }

  #endParagraph(): void {
    this.#startsParagraph = false
    this.said += "\n\n"
    this.#take(this.#pipeline.reader.push({ type: "bubble-end" }))
  }

  #take(parts: readonly OutputPart[]): void {
    for (const part of parts) {
      if (part.type === "file") {
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
    return new FileQueue(this.#open, {
      part: (part) => this.#show(part),
      opened: (attachment) => {
        this.attachments.push(attachment)
        this.#tell({ type: "attachment", attachment })
      },
      unopened: (file) => void this.unopened.push(file),
    })
  }

  #show(part: OutputPart): void {
    for (const delta of this.#pipeline.texts.push(part)) {
      this.text += delta
      this.#tell({ type: "text-delta", delta })
    }
    this.#tellBubbles(this.#pipeline.bubbles.push(part))
    if (part.type === "text") return
    const event = eventOf(part)
    if (event && !(this.#isCut && event.type === "empty-reply")) this.#tell(event)
  }

  #tellBubbles(texts: readonly string[]): void {
    if (!this.#isCut) for (const text of texts) this.#tell({ type: "bubble", text })
  }

  #tell(event: TurnEvent): void {
    this.hasShown = true
    this.#emit(event)
  }
}

/** The readers that an answer passes, in this order. */
interface Pipeline {
  readonly reader: ReturnType<typeof createOutputReader>
  readonly texts: ReturnType<typeof createTextCollector>
  readonly bubbles: ReturnType<typeof createBubbleCollector>
}

function newPipeline({ format, bubbles, files }: OutputSettings): Pipeline {
  const stages = files ? [createFileReferenceReader()] : []
  return {
    reader: createOutputReader({ bubbles, stages, ...(format ? { format } : {}) }),
    texts: createTextCollector(),
    bubbles: createBubbleCollector(),
  }
}

/** The event of a part that is not text. */
function eventOf(part: OutputPart): TurnEvent | undefined {
  if (part.type === "emotion" || part.type === "empty-reply") return part
  if (part.type === "event") return { type: "output-event", name: part.name, data: part.data }
  return part.type === "warning" ? { type: "warning", warning: { kind: "format", message: part.message } } : undefined
}
