const backtick = 0x60
const tilde = 0x7e

/**
 * Tells, character by character, if Markdown text is inside a code fence. A fence begins with three or more backticks or
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

  get inside(): boolean {
    return this.#marker !== 0
  }

  /** Other text stands here, so this line can no longer become a fence. */
  interrupt(): void {
    this.#line = "rest"
  }

  accept(code: number): void {
    if (code === 0x0a || code === 0x0d) this.#endLine()
    else if (this.#line === "indent") this.#begin(code)
    else if (this.#line === "run" && code === this.#runMarker) this.#extendRun()
    else if (this.#onOpeningLine && this.#marker === backtick && code === backtick) this.#cancel()
    else if (this.#line !== "rest") this.#line = isBlank(code) ? "blank-tail" : "rest"
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
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
