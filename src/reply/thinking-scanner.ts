import { CodeFence, CodeLookahead, type Paragraph } from "./code-fence.ts"
import { readingWork } from "./incoming-text.ts"

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
  /** Text that was held back, to be read again with `scan`, from its first character on. */
  again(text: string): void
  /** True if a thought that began within a line and was not closed is words after all. Without it, it is. */
  isWords?(run: string): boolean
}

/**
 * Separates text from thinking (T22) and holds back at most the beginning of a tag. A thought begins at the beginning of a line
 * and ends at its first closing tag, of either name; an opening tag inside a thought is one of its words. Within a line a thought
 * begins only if it is closed, too: its words wait for the closing tag, and are text if none comes. Tags inside code of the text
 * are words: after a backtick a tag waits until the code ends or the paragraph does. Fences inside a thought are ignored, so that an open one cannot swallow the answer.
 */
export class TagScanner {
  readonly #sink: TagSink
  readonly #paragraph: Paragraph = { closers: undefined }
  readonly #fence = new CodeFence(this.#paragraph)
  /** True if the last `scan` ended before a character that stops it. */
  isAtStop = false
  /** True while the text belongs to a thought. */
  inThought: boolean
  /** True at the beginning of a thought that was declared open: the model's own opening tag there is ignored. */
  #atDeclaredOpening: boolean
  #held = ""
  /** The tag and the words of a thought that began within a line. */
  #doubtful: { text: string; readonly tagLength: number; isAtLineStart: boolean; readonly code: CodeFence } | undefined
  /** The text from a tag on that stands in code if the code has an end. */
  #ahead: CodeLookahead | undefined

  constructor(sink: TagSink, opensInThought: boolean) {
    this.#sink = sink
    this.inThought = opensInThought
    this.#atDeclaredOpening = opensInThought
  }

  /** Reads on from `from`; returns the chunk's end, the place of a text character that `stops`, or the place after an orphan or after what was read again. */
  scan(chunk: string, from: number, stops: (code: number) => boolean): number {
    let index = from
    this.isAtStop = false
    while (index < chunk.length) {
      if (this.#ahead) {
        index = this.#lookAhead(this.#ahead, chunk, index)
        if (this.#ahead === undefined) return index
      } else if (this.#held !== "") {
        const before = index
        index = this.#extendTag(chunk, index)
        if (index < 0) return before + 1
      } else if (this.inThought) index = this.#passThought(chunk, index)
      else {
        index = this.#passText(chunk, index, stops)
        if (this.#held !== "") continue
        this.isAtStop = index < chunk.length
        return index
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
    if (this.#ahead) this.#readAgain(this.#ahead, this.#ahead.end())
    this.#release()
    this.#settleDoubt()
  }

  #passThought(chunk: string, from: number): number {
    const found = chunk.indexOf("<", from)
    const end = found < 0 ? chunk.length : found
    readingWork.steps += end - from + 1
    const code = this.#doubtful?.code
    for (let at = from; code && at < end; at++) code.accept(chunk.charCodeAt(at), at)
    if (end > from) this.#think(chunk.slice(from, end))
    if (found >= 0) this.#held = "<"
    return found < 0 ? end : end + 1
  }

  #passText(chunk: string, from: number, stops: (code: number) => boolean): number {
    let index = from
    let code = 0
    for (; index < chunk.length; index++) {
      code = chunk.charCodeAt(index)
      if (stops(code) || (code === 0x3c && !this.#fence.inside)) break
      this.#fence.accept(code, index)
    }
    readingWork.steps += index - from + 1
    if (index > from) this.#sink.text(chunk.slice(from, index))
    if (index === chunk.length || stops(code)) return index
    this.#held = "<"
    return index + 1
  }

  /** Returns the place after what it read, or −1 after an orphan. */
  #extendTag(chunk: string, index: number): number {
    readingWork.steps++
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
    // A tag inside another thought is a word.
    const isNested = tag === "open" && this.inThought && !this.#atDeclaredOpening
    const begins = tag === "open" && doubtful?.isAtLineStart === true
    const text = doubtful?.code ?? (this.inThought ? undefined : this.#fence)
    const openRun = isNested ? 0 : (text?.openRun() ?? 0)
    if (openRun > 0 && this.#paragraph.closers === undefined) {
      this.#ahead = new CodeLookahead(this.#held, openRun)
      this.#held = ""
      return true
    }
    if (begins) this.#settleDoubt()
    if (openRun > 0 || (begins ? this.#fence.inside : isNested)) {
      this.#release()
      return true
    }
    if (tag === "close" && doubtful) {
      this.#doubtful = undefined
      this.#sink.thinking(doubtful.text.slice(doubtful.tagLength))
      this.#sink.tookFromLine?.()
    } else if (tag === "open" && !this.inThought && !this.#fence.atLineStart) {
      const code = new CodeFence(this.#paragraph)
      code.interrupt()
      this.#doubtful = { text: this.#held, tagLength: this.#held.length, isAtLineStart: false, code }
    }
    this.#held = ""
    this.#atDeclaredOpening = false
    if (tag === "open" && !this.inThought) this.#sink.thoughtOpens?.()
    const isOrphan = tag === "close" && !this.inThought
    this.inThought = tag === "open"
    if (isOrphan) this.#sink.orphan()
    return !isOrphan
  }

  #lookAhead(ahead: CodeLookahead, chunk: string, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      readingWork.steps++
      const isCode = ahead.feed(chunk.charAt(index))
      if (isCode === undefined) continue
      this.#readAgain(ahead, isCode)
      return isCode ? index : index + 1
    }
    return chunk.length
  }

  #readAgain(ahead: CodeLookahead, isCode: boolean): void {
    this.#ahead = undefined
    if (!isCode) (this.#doubtful?.code ?? this.#fence).cancelRun(ahead.closers)
    this.#paragraph.closers = ahead.closers
    this.#sink.again(ahead.text)
    this.#paragraph.closers = undefined
    this.isAtStop = false
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
      readingWork.steps += text.length
      for (let index = 0; index < text.length; index++) this.#fence.accept(text.charCodeAt(index), text.length)
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

const tags = ["think", "thinking", "thought"].flatMap((name) => [
  [`<${name}>`, "open"] as const,
  [`</${name}>`, "close"] as const,
])
const whole: ReadonlyMap<string, "open" | "close"> = new Map(tags)
const partial = new Set(tags.flatMap(([tag]) => Array.from(tag, (_, length) => tag.slice(0, length))))

/**
 * Tells if `text` is a thinking tag (T22), in any case of ASCII letters, or the beginning of one. No beginning is longer than
 * ten characters.
 */
function matchThinkingTag(text: string): "open" | "close" | "partial" | "none" {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return whole.get(folded) ?? (partial.has(folded) ? "partial" : "none")
}
