import type { OutputSettings } from "../profile/profile.ts"
import { createBubbleCollector, createTextCollector } from "../reply/output/delivery.ts"
import type { OutputPart } from "../reply/output/output-part.ts"
import { createOutputReader } from "../reply/output/output-reader.ts"
import type { TurnEvent } from "./events.ts"

/**
 * A turn's answer on its way out: what the model says goes in, events come out by way of the profile's format and bubbles.
 * `text-delta` events joined are `text`.
 */
export class AnswerOutput {
  readonly #settings: OutputSettings
  readonly #emit: (event: TurnEvent) => void
  readonly #said: string[] = []
  readonly #shown: string[] = []
  #pipeline: Pipeline
  #saidLength = 0
  #hasShown = false
  #isParted = false
  #isOver = false
  #isCut = false

  constructor(settings: OutputSettings, emit: (event: TurnEvent) => void) {
    this.#settings = settings
    this.#emit = emit
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

  /** Gives out what was held back; once. The last bubble of a turn that failed is not whole: it is not told. */
  end({ isWhole }: { readonly isWhole: boolean }): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#isCut = !isWhole
    this.#take(this.#pipeline.reader.end())
    this.#bubbles(this.#pipeline.bubbles.end())
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
      for (const delta of this.#pipeline.texts.push(part)) this.#show(delta)
      this.#bubbles(this.#pipeline.bubbles.push(part))
      const event = eventOf(part)
      if (event && !(this.#isCut && event.type === "empty-reply")) this.#tell(event)
    }
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

function newPipeline({ format, bubbles }: OutputSettings): Pipeline {
  return {
    reader: createOutputReader({ bubbles, ...(format ? { format } : {}) }),
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
