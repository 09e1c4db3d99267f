const backtick = 0x60
const tilde = 0x7e

/**
 * Tells, character by character, if Markdown text is inside code. Code within a line goes from a run of backticks to the next one
 * of the same length in the same paragraph; without such a run it is no code. A fence begins with three or more backticks or
 * tildes at the beginning of a line, at any indentation, and ends with a line of at least as many. The opening line counts as
 * inside. When another backtick follows on it, it was inline code.
 */
export class CodeFence {
  #marker = 0
  #length = 0
  #onOpeningLine = false
  #line: "indent" | "run" | "blank-tail" | "rest" = "indent"
  #runMarker = 0
  #run = 0
  /** The backticks in a row that were just read, and those that opened code within the line. */
  #ticks = 0
  #openTicks = 0
  /** The runs of other lengths since that one. */
  #runs: number[] = []
  #at = 0
  readonly #paragraph: Paragraph

  constructor(paragraph: Paragraph) {
    this.#paragraph = paragraph
  }

  get inside(): boolean {
    return this.#marker !== 0
  }

  /** The length of the run of backticks that opened code within the line, if the next character is no backtick; else 0. */
  openRun(): number {
    this.#endTicks()
    return this.#openTicks
  }

  /** The run of backticks that is open has no end, so it opened no code. A later run may have. */
  cancelRun(closers: ReadonlyMap<number, number>): void {
    const runs = this.#runs
    const last = new Map(runs.map((run, index) => [run, index]))
    this.#openTicks = 0
    this.#runs = []
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index] ?? 0
      if ((last.get(run) ?? 0) > index) index = runs.indexOf(run, index + 1)
      else if (closers.has(run)) {
        this.#openTicks = run
        return
      }
    }
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

  /** Reads the character at `at` of the {@link Paragraph} that is read again, if one is. */
  accept(code: number, at: number): void {
    if (code === backtick) this.#ticks++
    else if (this.#ticks > 0) this.#endTicks()
    this.#at = at
    if (code === 0x0a || code === 0x0d) this.#endLine()
    else if (this.#line === "indent") this.#begin(code)
    else if (this.#line === "run" && code === this.#runMarker) this.#extendRun()
    else if (this.#onOpeningLine && this.#marker === backtick && code === backtick) this.#cancel()
    else if (this.#line !== "rest") this.#line = isBlank(code) ? "blank-tail" : "rest"
  }

  /** A run of backticks opens code, or closes that which as many opened. */
  #endTicks(): void {
    const { closers } = this.#paragraph
    if (this.#ticks > 0 && this.#openTicks === 0) {
      if (closers === undefined || (closers.get(this.#ticks) ?? 0) > this.#at + 1) this.#openTicks = this.#ticks
      this.#runs = []
    } else if (this.#ticks === this.#openTicks) this.#openTicks = 0
    else if (this.#ticks > 0) this.#runs.push(this.#ticks)
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
    // Code whose end is known goes on in the next line.
    if (this.#paragraph.closers === undefined) this.#openTicks = 0
  }
}

/** The rest of a paragraph that is read again. Its runs of backticks are known: for each length the end of the last one. */
export interface Paragraph {
  closers: ReadonlyMap<number, number> | undefined
}

const blockStart = /^(?:```|~~~|<(?:think(?:ing)?|thought)>)$/i

/**
 * Reads on from a tag within what may be code, until it is clear if the code has an end. It must come before an empty line, a fence,
 * and a line that begins with a thought.
 */
export class CodeLookahead {
  text: string
  readonly closers = new Map<number, number>()
  readonly #openRun: number
  #ticks = 0
  /** The beginning of the line, without the blanks before it. */
  #line = "<"
  #last = ""

  constructor(tag: string, openRun: number) {
    this.text = tag
    this.#openRun = openRun
  }

  /** Returns true as soon as the code has ended, and has not read `character` then; false as soon as it cannot end any more. */
  feed(character: string): boolean | undefined {
    if (character !== "`" && this.#endRun()) return true
    if (character === "`") this.#ticks++
    this.text += character
    const isAfterReturn = this.#last === "\r" && character === "\n"
    this.#last = character
    if (character === "\n" || character === "\r") {
      if (this.#line === "" && !isAfterReturn) return false
      this.#line = ""
    } else if (this.#line.length < "<thinking>".length) this.#line = (this.#line + character).trimStart()
    return blockStart.test(this.#line) ? false : undefined
  }

  /** No more characters come. Tells if the code has ended. */
  end(): boolean {
    return this.#endRun()
  }

  #endRun(): boolean {
    const run = this.#ticks
    this.#ticks = 0
    if (run > 0) this.closers.set(run, this.text.length)
    return run === this.#openRun
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
