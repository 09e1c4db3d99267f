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
 * A turn's answer on its way out: what the model says goes in, events come out by way of the profile's format, bubbles and file
 * references. `text-delta` events joined are `text`. What stands behind a file waits until that file is opened.
 */
export class AnswerOutput {
  readonly #settings: OutputSettings
  readonly #emit: (event: TurnEvent) => void
  readonly #said: string[] = []
  readonly #shown: string[] = []
  readonly #queue: FileQueue
  #pipeline: Pipeline
  #saidLength = 0
  #hasShown = false
  #isParted = false
  #isRead = false
  #isOver = false
  #isCut = false

  /** Without `open` file references are words. */
  constructor(settings: OutputSettings, emit: (event: TurnEvent) => void, open?: OpenFile) {
    this.#settings = settings
    this.#emit = emit
    this.#queue = new FileQueue(open, {
      part: (part) => this.#give(part),
      attach: (attachment) => this.#tell({ type: "attachment", attachment }),
    })
    this.#pipeline = newPipeline(settings)
  }

  /** The answer as the model said it, marks of its format and all: what history keeps. */
  get said(): string {
    return this.#said.join("")
  }

  /** UTF-16 units of {@link said}. */
  get saidLength(): number {
    return this.#saidLength
  }

  /** The answer as it is shown, bubbles as paragraphs. */
  get text(): string {
    return this.#shown.join("")
  }

  /** True once anything of the answer was told. */
  get hasShown(): boolean {
    return this.#hasShown
  }

  /** Files that the answer shows, in order. */
  get attachments(): readonly FileAttachment[] {
    return this.#queue.attachments
  }

  /** References that could not be opened; they stand in the text as they were written. */
  get unopened(): readonly UnopenedFile[] {
    return this.#queue.unopened
  }

  say(delta: string): void {
    if (delta === "") return
    if (this.#isParted) this.#part()
    this.#hear(delta)
    this.#take(this.#pipeline.reader.push({ type: "text", delta }))
  }

  /** What was said so far stands before a tool call: what comes now begins a paragraph of its own. */
  part(): void {
    this.#isParted = this.#saidLength > 0
  }

  /** Forgets what was said while nothing of it was shown: the call is made again. */
  restart(): void {
    if (this.#hasShown) return
    this.#pipeline = newPipeline(this.#settings)
    this.#said.length = 0
    this.#saidLength = 0
  }

  /** Nothing more will be said; a promise where files are still being opened. {@link end} comes after it. */
  settle(): Promise<void> | undefined {
    this.#readToEnd()
    return this.#queue.idle()
  }

  /** Gives out what was held back; once. The last bubble of a turn that failed is not whole: it is not told. */
  end({ isWhole }: { readonly isWhole: boolean }): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isCut = !isWhole
    this.#queue.giveUp()
    this.#readToEnd()
    this.#bubbles(this.#pipeline.bubbles.end())
  }

  #readToEnd(): void {
    if (this.#isRead) return
    this.#isRead = true
    this.#take(this.#pipeline.reader.end())
  }

  #part(): void {
    this.#isParted = false
    this.#hear("\n\n")
    this.#take(this.#pipeline.reader.push({ type: "bubble-end" }))
  }

  #hear(delta: string): void {
    this.#said.push(delta)
    this.#saidLength += delta.length
  }

  #take(parts: readonly OutputPart[]): void {
    for (const part of parts) {
      this.#hasShown ||= part.type === "file"
      this.#queue.push(part)
    }
  }

  #give(part: OutputPart): void {
    for (const delta of this.#pipeline.texts.push(part)) this.#show(delta)
    this.#bubbles(this.#pipeline.bubbles.push(part))
    const event = eventOf(part)
    if (event && !(this.#isCut && event.type === "empty-reply")) this.#tell(event)
  }

  #show(delta: string): void {
    this.#shown.push(delta)
    this.#tell({ type: "text-delta", delta })
  }

  #bubbles(texts: readonly string[]): void {
    if (!this.#isCut) for (const text of texts) this.#tell({ type: "bubble", text })
  }

  #tell(event: TurnEvent): void {
    this.#hasShown = true
    this.#emit(event)
  }
}

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

/** What a part tells beside words. */
function eventOf(part: OutputPart): TurnEvent | undefined {
  switch (part.type) {
    case "emotion":
    case "empty-reply":
      return part
    case "event":
      return { type: "output-event", name: part.name, data: part.data }
    case "warning":
      return { type: "warning", warning: { kind: "format", message: part.message } }
    default:
      return undefined
  }
}
