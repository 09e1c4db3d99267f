import type { Source } from "../core/source.ts"
import { collapseBlank, type SettledFrame, settleFrame } from "./settled-frame.ts"

/** Takes the frame text that is really printed. */
export type FrameSink = (text: string, source: Source) => void

/** Where a scope began; handed back to {@link FrameWriter.close}. */
export interface FrameScope {
  readonly waiting: string
  readonly waitingFrom: Source | undefined
  readonly leading: boolean
  readonly printed: number
  readonly message: number
}

/**
 * Prints frames so that empty slots leave no trace: white space waits until something follows it, the
 * ends of messages and scopes are trimmed, a line on which only empty slots stand goes whole, one beside words leaves one
 * space, and no more than one blank line stands in a row. Values pass by untouched.
 */
export class FrameWriter {
  readonly #sink: FrameSink
  readonly #piece: "line" | "literal"
  /** White space that waits until something follows it. */
  #waiting = ""
  /** Where it comes from; undefined when nothing waits. */
  #waitingFrom: Source | undefined
  /** True where nothing was printed yet in the innermost scope or the message: white space is its trimmed end. */
  #leading = true
  /** True where nothing but empty slots and blanks followed an empty slot on the line. */
  #emptied = false
  /** How many pieces were printed so far; a scope that printed nothing leaves no trace. */
  #printed = 0
  #message = 0
  #atStart = true

  /** With `piece` the sink takes a literal's text whole, else line by line. */
  constructor(sink: FrameSink, piece: "line" | "literal" = "line") {
    this.#sink = sink
    this.#piece = piece
  }

  /** Prints literal text. */
  frame(text: string, source: Source): void {
    this.settled(settleFrame(text), source)
  }

  /** Prints literal text that is settled already. */
  settled({ before, body, lines, after }: SettledFrame, source: Source): void {
    if (before !== "") this.#wait(before, source)
    if (this.#piece === "literal" && body !== "") this.#flush(body, source)
    else if (body !== "") this.#flushLines(lines, source)
    if (after !== "") this.#wait(after, source)
  }

  /** Must be called before a value is printed: the white space that waits stands before it. */
  beforeContent(source: Source): void {
    this.#flush("", source)
  }

  /** What stands here was printed before, with the white space before it. */
  passed(): void {
    this.#waiting = ""
    this.#waitingFrom = undefined
    this.#leading = false
    this.#emptied = false
    this.#atStart = false
    this.#printed++
  }

  /** A slot or a conditional printed nothing here. */
  empty(): void {
    this.#emptied = true
  }

  /** Parts what was printed from what may follow, beside the white space that waits already. */
  separate(text: string, source: Source): void {
    if (!this.#atStart) this.#waitMore(text, source)
    this.#emptied = false
  }

  /** Begins a branch or an entry: its ends are trimmed. */
  open(): FrameScope {
    const scope = {
      waiting: this.#waiting,
      waitingFrom: this.#waitingFrom,
      leading: this.#leading,
      printed: this.#printed,
      message: this.#message,
    }
    this.#leading = true
    return scope
  }

  /** Ends a scope; true when it printed something. */
  close(scope: FrameScope): boolean {
    const printed = this.#printed > scope.printed
    const sameMessage = this.#message === scope.message
    const isKept = !printed && sameMessage
    this.#waiting = isKept ? scope.waiting : ""
    this.#waitingFrom = isKept ? scope.waitingFrom : undefined
    this.#leading = printed ? false : sameMessage ? scope.leading : true
    this.#emptied = false
    return printed
  }

  /** Begins a message: what waited belongs to the one before and is dropped. */
  startMessage(): void {
    this.#waiting = ""
    this.#waitingFrom = undefined
    this.#leading = true
    this.#emptied = false
    this.#atStart = true
    this.#message++
  }

  #wait(blank: string, source: Source): void {
    if (this.#emptied) {
      this.#waitAfterEmpty(blank, source)
    } else if (!this.#leading) this.#waitMore(blank, source)
  }

  #waitAfterEmpty(blank: string, source: Source): void {
    this.#emptied = !blank.includes("\n")
    if (this.#leading) return
    const kept = afterEmpty(this.#waiting, blank)
    this.#waiting = kept.before
    this.#waitMore(kept.blank, source)
  }

  #waitMore(blank: string, source: Source): void {
    this.#waiting = this.#waiting === "" ? blank : this.#waiting + blank
    this.#waitingFrom ??= source
  }

  #flushLines(lines: readonly string[], source: Source): void {
    let isFirst = true
    for (const line of lines) {
      if (isFirst) this.#flush(line, source)
      else this.#sink(line, source)
      isFirst = false
    }
  }

  #flush(body: string, source: Source): void {
    if (this.#waiting === "") {
      if (body !== "") this.#sink(body, source)
    } else this.#sink(collapseBlank(this.#waiting) + body, body === "" ? (this.#waitingFrom ?? source) : source)
    this.passed()
  }
}

/** What is left of the white space before and after an empty slot. */
function afterEmpty(before: string, blank: string): { readonly before: string; readonly blank: string } {
  const blankLine = before.includes("\n")
  const lineEnd = blank.indexOf("\n")
  // Nothing else on the line: it goes, with its indentation and its line break.
  if (blankLine && lineEnd >= 0) return { before: before.slice(0, before.lastIndexOf("\n") + 1), blank: blank.slice(lineEnd + 1) }
  const spaced = blankLine || before !== ""
  return { before, blank: spaced ? blank.slice(skipSpaces(blank)) : blank }
}

function skipSpaces(text: string): number {
  let at = 0
  while (text[at] === " " || text[at] === "\t") at++
  return at
}
