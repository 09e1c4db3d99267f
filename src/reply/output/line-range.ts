import type { FileReference } from "../../encode/file-reference.ts"

/** What stands behind a file's name: its lines, or none; `length` in UTF-16 units. */
export interface ReadRange {
  readonly length: number
  readonly lines?: NonNullable<FileReference["lines"]>
}

const none: ReadRange = { length: 0 }
const maxBlanks = 2
const maxDigits = 9

/** Reads ` Line n ~ Line n` where `text` begins with it (R8), in any case; `unknown` while more text may still make it one. */
export function readLineRange(text: string, isWhole: boolean): ReadRange | "unknown" {
  const cursor = new Cursor(text)
  const from = cursor.blanks() && cursor.word() && cursor.blanks() ? cursor.digits() : undefined
  const isJoined = from !== undefined && cursor.blanks() && cursor.tilde() && cursor.blanks()
  if (isJoined && !cursor.atDigit) cursor.word()
  const to = isJoined && !cursor.isWrong && cursor.blanks() ? cursor.digits() : undefined
  if (cursor.isOver && !isWhole) return "unknown"
  if (from === undefined || to === undefined || cursor.isWrong || cursor.atDigit) return none
  return { length: cursor.at, lines: { from, to } }
}

/** Reads a text from its beginning; once something else than expected stood there it is wrong, at the text's end it is over. */
class Cursor {
  readonly #text: string
  at = 0
  isWrong = false

  constructor(text: string) {
    this.#text = text
  }

  /** True where nothing was wrong and the text goes no further. */
  get isOver(): boolean {
    return !this.isWrong && this.at === this.#text.length
  }

  get atDigit(): boolean {
    return isDigit(this.#text.charCodeAt(this.at))
  }

  blanks(): boolean {
    const from = this.at
    while (this.at - from < maxBlanks && (this.#text[this.at] === " " || this.#text[this.at] === "\t")) this.at++
    return true
  }

  word(): boolean {
    const found = this.#text.slice(this.at, this.at + 4).toLowerCase()
    this.isWrong = !"line".startsWith(found)
    this.at += found.length
    return !this.isWrong && found.length === 4
  }

  tilde(): boolean {
    const found = this.#text[this.at]
    if (found === undefined) return false
    this.isWrong = found !== "~" && found !== "～"
    this.at++
    return !this.isWrong
  }

  digits(): number | undefined {
    const from = this.at
    while (this.at - from < maxDigits && this.atDigit) this.at++
    if (this.at > from) return Number(this.#text.slice(from, this.at))
    this.isWrong = this.at < this.#text.length
    return undefined
  }
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39
}
