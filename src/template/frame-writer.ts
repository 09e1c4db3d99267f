import type { Source } from "../core/source.ts"

/** Takes the frame text that is really printed. */
export type FrameSink = (text: string, source: Source) => void

/** White space that waits until something follows it. */
interface Waiting {
  readonly text: string
  /** Where it comes from; undefined when nothing waits. */
  readonly source?: Source
}

/** Where a scope began; handed back to {@link FrameWriter.close}. */
export interface FrameScope {
  readonly waiting: Waiting
  readonly leading: boolean
  readonly printed: number
  readonly message: number
}

const nothing: Waiting = { text: "" }

/**
 * Prints frames so that empty slots leave no trace (design, rule 3): white space waits until something follows it, the
 * ends of messages and scopes are trimmed, a line on which only empty slots stand goes whole, one beside words leaves one
 * space, and no more than one blank line stands in a row. Values pass by untouched.
 */
export class FrameWriter {
  readonly #sink: FrameSink
  #waiting = nothing
  /** True where nothing was printed yet in the innermost scope or the message: white space is its trimmed end. */
  #leading = true
  /** True where nothing but empty slots and blanks followed an empty slot on the line. */
  #emptied = false
  /** How many pieces were printed so far; a scope that printed nothing leaves no trace. */
  #printed = 0
  #message = 0
  #atStart = true

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  /** Prints literal text. */
  frame(text: string, source: Source): void {
    let at = 0
    while (at < text.length) {
      const blankEnd = skipBlank(text, at)
      if (blankEnd > at) this.#wait(text.slice(at, blankEnd), source)
      const lineEnd = text.indexOf("\n", blankEnd)
      const bodyEnd = trimmedEnd(text, blankEnd, lineEnd < 0 ? text.length : lineEnd)
      if (bodyEnd > blankEnd) this.#flush(text.slice(blankEnd, bodyEnd), source)
      at = bodyEnd
    }
  }

  /** Must be called before a value is printed: the white space that waits stands before it. */
  beforeContent(source: Source): void {
    this.#flush("", source)
  }

  /** A slot or a conditional printed nothing here. */
  empty(): void {
    this.#emptied = true
  }

  /** Parts what was printed from what may follow, beside the white space that waits already. */
  separate(text: string, source: Source): void {
    if (!this.#atStart) this.#waiting = { text: this.#waiting.text + text, source: this.#waiting.source ?? source }
    this.#emptied = false
  }

  /** Begins a branch or an entry: its ends are trimmed. */
  open(): FrameScope {
    const scope = { waiting: this.#waiting, leading: this.#leading, printed: this.#printed, message: this.#message }
    this.#leading = true
    return scope
  }

  /** Ends a scope; true when it printed something. */
  close(scope: FrameScope): boolean {
    const printed = this.#printed > scope.printed
    const sameMessage = this.#message === scope.message
    this.#waiting = printed || !sameMessage ? nothing : scope.waiting
    this.#leading = printed ? false : sameMessage ? scope.leading : true
    this.#emptied = false
    return printed
  }

  /** Begins a message: what waited belongs to the one before and is dropped. */
  startMessage(): void {
    this.#waiting = nothing
    this.#leading = true
    this.#emptied = false
    this.#atStart = true
    this.#message++
  }

  #wait(blank: string, source: Source): void {
    if (this.#leading) {
      this.#emptied &&= !blank.includes("\n")
      return
    }
    const { text: before } = this.#waiting
    const kept = this.#emptied ? afterEmpty(before, blank) : { before, blank }
    this.#emptied &&= !blank.includes("\n")
    this.#waiting = { text: kept.before + kept.blank, source: this.#waiting.source ?? source }
  }

  #flush(body: string, source: Source): void {
    const blank = collapse(this.#waiting.text)
    if (blank + body !== "") this.#sink(blank + body, body === "" ? (this.#waiting.source ?? source) : source)
    this.#waiting = nothing
    this.#leading = false
    this.#emptied = false
    this.#atStart = false
    this.#printed++
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

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text.charCodeAt(at))) at++
  return at
}

function skipSpaces(text: string): number {
  let at = 0
  while (text[at] === " " || text[at] === "\t") at++
  return at
}

function trimmedEnd(text: string, from: number, to: number): number {
  let at = to
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--
  return at
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a
}

/** At most one blank line; blanks at a line's end go, the indentation of the next line stays. */
function collapse(blank: string): string {
  const first = blank.indexOf("\n")
  if (first < 0) return blank
  const last = blank.lastIndexOf("\n")
  return (first === last ? "\n" : "\n\n") + blank.slice(last + 1)
}
