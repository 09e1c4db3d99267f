import type { Source } from "../core/source.ts"

/** Takes the frame text that is really printed. */
export type FrameSink = (text: string, source: Source) => void

/** Where a scope began; handed back to {@link FrameWriter.close}. */
export interface FrameScope {
  readonly pending: string
  readonly printed: number
}

/**
 * Prints frames so that empty slots leave no trace (design, rule 3): white space waits until something follows it, a
 * scope's ends are trimmed, and no more than one blank line stands in a row. Values pass by untouched.
 */
export class FrameWriter {
  readonly #sink: FrameSink
  #pending = ""
  #swallow = false
  #separated = false
  /** How many pieces were printed so far; a scope that printed nothing leaves no trace. */
  #printed = 0
  #atStart = true
  #source: Source | undefined

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  /** Prints literal text. */
  frame(text: string, source: Source): void {
    let at = 0
    while (at < text.length) {
      const blankEnd = skipBlank(text, at)
      if (blankEnd > at) {
        this.#pend(text.slice(at, blankEnd), source)
        at = blankEnd
        continue
      }
      const lineEnd = text.indexOf("\n", at)
      const bodyEnd = trimmedEnd(text, at, lineEnd < 0 ? text.length : lineEnd)
      this.#flush(source, text.slice(at, bodyEnd))
      at = bodyEnd
    }
  }

  /** Must be called before a value is printed: the white space that waits stands before it. */
  beforeContent(source: Source): void {
    this.#flush(source, "")
  }

  /** A slot alone on its line was empty: its line goes with it. */
  swallowLine(): void {
    this.#pending = this.#pending.replace(/[ \t]+$/, "")
    this.#swallow = true
  }

  /** Puts `text` between two things that print something; said twice in a row it stands once. */
  separate(text: string, source: Source): void {
    if (this.#separated || this.#atStart) return
    this.#pend(text, source)
    this.#separated = true
  }

  /** Begins a branch or an entry: its ends are trimmed. */
  open(): FrameScope {
    return { pending: this.#pending, printed: this.#printed }
  }

  /** Ends a scope; true when it printed something. */
  close(scope: FrameScope): boolean {
    const printed = this.#printed > scope.printed
    this.#pending = printed ? "" : scope.pending
    this.#swallow = false
    this.#separated = false
    return printed
  }

  /** Begins a message: what waited belongs to the one before and is dropped. */
  startMessage(): void {
    this.#pending = ""
    this.#swallow = false
    this.#separated = false
    this.#atStart = true
  }

  #pend(blank: string, source: Source): void {
    let text = blank
    if (this.#swallow) {
      const newline = text.indexOf("\n")
      this.#swallow = newline < 0
      text = newline < 0 ? "" : text.slice(newline + 1)
    }
    this.#pending += text
    this.#source ??= source
  }

  #flush(source: Source, body: string): void {
    const blank = this.#atStart ? "" : collapse(this.#pending)
    if (blank + body !== "") this.#sink(blank + body, body === "" ? (this.#source ?? source) : source)
    this.#pending = ""
    this.#source = undefined
    this.#swallow = false
    this.#separated = false
    this.#atStart = false
    this.#printed++
  }
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text.charCodeAt(at))) at++
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
