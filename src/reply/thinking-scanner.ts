import type { StepCount } from "./incoming-text.ts"

/** Receives what a {@link TagScanner} reads, in order. */
export interface TagSink {
  text(run: string): void
  thinking(run: string): void
  /** A thought that began within a line was closed, and is taken out of that line. */
  tookFromLine?(): void
  /** An opening tag, now removed. */
  thoughtOpens?(): void
  /** A closing tag that closes nothing, now removed. */
  orphan(): void
  /** True if a thought that began within a line and was not closed is words after all. Without it, it is. */
  isWords?(run: string): boolean
}

/**
 * Separates text from thinking (T22) and holds back at most the beginning of a tag. A thought begins at the beginning of a line
 * and ends at its first closing tag, of either name; an opening tag inside a thought is one of its words. Within a line a thought
 * begins only if it is closed, too: its words wait for the closing tag, and are text if none comes. Tags inside code of the text
 * are words. Fences inside a thought are ignored, so that an open one cannot swallow the answer.
 */
export class TagScanner {
  readonly #sink: TagSink
  readonly #count: StepCount
  readonly #fence = new CodeFence()
  /** True while the text belongs to a thought. */
  inThought: boolean
  /** True at the beginning of a thought that was declared open: the model's own opening tag there is ignored. */
  #atDeclaredOpening: boolean
  #held = ""
  /** The tag and the words of a thought that began within a line. */
  #doubtful: { text: string; readonly tagLength: number; isAtLineStart: boolean } | undefined

  constructor(sink: TagSink, opensInThought: boolean, count: StepCount) {
    this.#sink = sink
    this.#count = count
    this.inThought = opensInThought
    this.#atDeclaredOpening = opensInThought
  }

  /** Reads on from `from`; returns the chunk's end, the place of a text character that `stops`, or the place after an orphan. */
  scan(chunk: string, from: number, stops: (code: number) => boolean): number {
    let index = from
    while (index < chunk.length) {
      if (this.#held !== "") {
        const before = index
        index = this.#extendTag(chunk, index)
        if (index < 0) return before + 1
      } else if (this.inThought) index = this.#passThought(chunk, index)
      else {
        index = this.#passText(chunk, index, stops)
        if (this.#held === "") return index
      }
    }
    return index
  }

  /** The caller has read characters of the text itself, so the next character does not begin a line. */
  interrupt(): void {
    this.#fence.interrupt()
  }

  /** Yields what was held back. */
  end(): void {
    this.#release()
    this.#settleDoubt()
  }

  #passThought(chunk: string, from: number): number {
    const found = chunk.indexOf("<", from)
    const end = found < 0 ? chunk.length : found
    this.#count.steps += end - from + 1
    if (end > from) this.#think(chunk.slice(from, end))
    if (found >= 0) this.#held = "<"
    return found < 0 ? end : end + 1
  }

  #passText(chunk: string, from: number, stops: (code: number) => boolean): number {
    let index = from
    let code = 0
    for (; index < chunk.length; index++) {
      code = chunk.charCodeAt(index)
      if (stops(code) || (code === 0x3c && !this.#fence.inCode)) break
      this.#fence.accept(code)
    }
    this.#count.steps += index - from + 1
    if (index > from) this.#sink.text(chunk.slice(from, index))
    if (index === chunk.length || stops(code)) return index
    this.#held = "<"
    return index + 1
  }

  /** Returns the place after what it read, or −1 after an orphan. */
  #extendTag(chunk: string, index: number): number {
    this.#count.steps++
    const match = matchThinkingTag(this.#held + chunk.charAt(index))
    if (match === "none") {
      this.#release()
      return index
    }
    this.#held += chunk.charAt(index)
    if (match === "partial") return index + 1
    return this.#acceptTag(match) ? index + 1 : -1
  }

  #acceptTag(tag: "open" | "close"): boolean {
    const doubtful = this.#doubtful
    // A tag in backticks is a word, and so is one tag inside another thought.
    const isWord = tag === "open" ? this.inThought && !this.#atDeclaredOpening : doubtful?.text.endsWith("`") === true
    const begins = tag === "open" && doubtful?.isAtLineStart === true
    if (begins) this.#settleDoubt()
    if ((isWord && !begins) || (begins && this.#fence.inside)) {
      this.#release()
      return true
    }
    if (tag === "close" && doubtful) {
      this.#doubtful = undefined
      this.#sink.thinking(doubtful.text.slice(doubtful.tagLength))
      this.#sink.tookFromLine?.()
    } else if (tag === "open" && !this.inThought && !this.#fence.atLineStart) {
      this.#doubtful = { text: this.#held, tagLength: this.#held.length, isAtLineStart: false }
    }
    this.#held = ""
    this.#atDeclaredOpening = false
    if (tag === "open" && !this.inThought) this.#sink.thoughtOpens?.()
    const isOrphan = tag === "close" && !this.inThought
    this.inThought = tag === "open"
    if (isOrphan) this.#sink.orphan()
    return !isOrphan
  }

  /** No closing tag came for a thought that began within a line: it was words, unless the sink takes it for a thought. */
  #settleDoubt(): void {
    const doubtful = this.#doubtful
    if (doubtful === undefined) return
    this.#doubtful = undefined
    const { text, tagLength } = doubtful
    if (this.#sink.isWords?.(text) === false) this.#sink.thinking(text.slice(tagLength))
    else {
      this.inThought = false
      this.#count.steps += text.length
      for (let index = 0; index < text.length; index++) this.#fence.accept(text.charCodeAt(index))
      this.#sink.text(text)
    }
  }

  #release(): void {
    const run = this.#held
    if (run === "") return
    this.#held = ""
    if (this.inThought) this.#think(run)
    else {
      this.#fence.interrupt()
      this.#sink.text(run)
    }
  }

  #think(run: string): void {
    if (this.#atDeclaredOpening && run.trim() !== "") this.#atDeclaredOpening = false
    const doubtful = this.#doubtful
    if (doubtful === undefined) {
      this.#sink.thinking(run)
      return
    }
    const lineBreak = Math.max(run.lastIndexOf("\n"), run.lastIndexOf("\r"))
    doubtful.isAtLineStart = (lineBreak >= 0 || doubtful.isAtLineStart) && run.slice(lineBreak + 1).trim() === ""
    doubtful.text += run
  }
}

const tags: readonly (readonly [string, "open" | "close"])[] = [
  ["<think>", "open"],
  ["</think>", "close"],
  ["<thinking>", "open"],
  ["</thinking>", "close"],
]
const whole = new Map(tags)
const partial = new Set(tags.flatMap(([tag]) => Array.from(tag, (_, length) => tag.slice(0, length))))

/**
 * Tells if `text` is a thinking tag (T22), in any case of ASCII letters, or the beginning of one. No beginning is longer than
 * ten characters.
 */
function matchThinkingTag(text: string): "open" | "close" | "partial" | "none" {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return whole.get(folded) ?? (partial.has(folded) ? "partial" : "none")
}

const backtick = 0x60
const tilde = 0x7e

/**
 * Tells, character by character, if Markdown text is inside a code fence. A fence begins with three or more backticks or
 * tildes at the beginning of a line, at any indentation, and ends with a line of at least as many. The opening line counts as
 * inside. When another backtick follows on it, it was inline code.
 */
class CodeFence {
  #marker = 0
  #length = 0
  #onOpeningLine = false
  #line: "indent" | "run" | "blank-tail" | "rest" = "indent"
  #runMarker = 0
  #run = 0
  /** The backticks in a row that were just read, and those that opened code within the line. */
  #ticks = 0
  #openTicks = 0

  get inside(): boolean {
    return this.#marker !== 0
  }

  /** True in a fence, and in code within a line. */
  get inCode(): boolean {
    return this.#marker !== 0 || (this.#ticks === 0 ? this.#openTicks > 0 : this.#openTicks !== this.#ticks)
  }

  /** True where only blanks stand before in the line. */
  get atLineStart(): boolean {
    return this.#line === "indent"
  }

  /** Other text stands here, so this line can no longer become a fence. */
  interrupt(): void {
    this.#line = "rest"
    this.#endTicks()
  }

  accept(code: number): void {
    if (code === backtick) this.#ticks++
    else if (this.#ticks > 0) this.#endTicks()
    if (code === 0x0a || code === 0x0d) this.#endLine()
    else if (this.#line === "indent") this.#begin(code)
    else if (this.#line === "run" && code === this.#runMarker) this.#extendRun()
    else if (this.#onOpeningLine && this.#marker === backtick && code === backtick) this.#cancel()
    else if (this.#line !== "rest") this.#line = isBlank(code) ? "blank-tail" : "rest"
  }

  /** A run of backticks opens code, or closes that which as many opened. */
  #endTicks(): void {
    if (this.#ticks > 0 && this.#openTicks === 0) this.#openTicks = this.#ticks
    else if (this.#ticks === this.#openTicks) this.#openTicks = 0
    this.#ticks = 0
  }

  #begin(code: number): void {
    if (isBlank(code)) return
    const isMarker = code === backtick || code === tilde
    this.#line = isMarker ? "run" : "rest"
    this.#runMarker = code
    this.#run = 1
  }

  #extendRun(): void {
    this.#run++
    if (this.#marker === 0 && this.#run >= 3) {
      this.#marker = this.#runMarker
      this.#onOpeningLine = true
    }
    if (this.#onOpeningLine) this.#length = this.#run
  }

  #cancel(): void {
    this.#marker = 0
    this.#onOpeningLine = false
    this.#line = "rest"
  }

  #endLine(): void {
    const isBareRun = this.#line === "run" || this.#line === "blank-tail"
    const closes = isBareRun && !this.#onOpeningLine && this.#runMarker === this.#marker && this.#run >= this.#length
    if (closes) this.#marker = 0
    this.#onOpeningLine = false
    this.#line = "indent"
    this.#run = 0
    this.#openTicks = 0
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
