import { decodePath, type FileReference, maxPathLength } from "../../prompt/encode/file-reference.ts"
import { isLineBreak } from "../../prompt/encode/line-breaks.ts"
import { createTextStage, type OutputPart, type OutputReader, PartList } from "./output-part.ts"

/**
 * Finds `%[path]` and `%[path] Line n ~ Line n` in an answer (R8). Each becomes a `file` with the text of the reference.
 * Brackets in a path come in pairs or after a backslash. No path spans lines. Holds back at most one reference; work is
 * linear in the text.
 */
export function createFileReferenceReader(): OutputReader {
  return createTextStage(() => new ReferenceReader())
}

/** Reads the references in one stretch of text. */
class ReferenceReader {
  readonly #parts = new PartList()
  /** In a `range`, a path has ended and lines may follow. */
  #place: "words" | "path" | "range" = "words"
  /** The text since a `%` that may begin a reference. */
  #held = ""
  /** How many brackets of the path are open. */
  #depth = 0
  #isEscaped = false
  #path = ""
  /** The place in `#held` where lines may follow. */
  #rangeAt = 0

  push(delta: string): OutputPart[] {
    this.#read(delta)
    return this.#parts.take()
  }

  end(): OutputPart[] {
    if (this.#place === "range") this.#endRange(true)
    this.#giveUp()
    return this.#parts.take()
  }

  #read(delta: string): void {
    for (let at = 0; at < delta.length; ) at = this.#step(delta, at)
  }

  /** Reads on from `at`; returns the place after what it read. */
  #step(delta: string, at: number): number {
    if (this.#place === "words") return this.#words(delta, at)
    this.#held += delta.charAt(at)
    if (this.#place === "path") this.#inPath(delta.charCodeAt(at))
    else this.#endRange(false)
    return at + 1
  }

  #words(delta: string, at: number): number {
    if (this.#held === "%") {
      if (delta.charAt(at) === "[") return this.#open(at)
      this.#giveUp()
    }
    const found = delta.indexOf("%", at)
    this.#parts.say(delta.slice(at, found < 0 ? delta.length : found))
    if (found < 0) return delta.length
    this.#held = "%"
    return found + 1
  }

  #open(at: number): number {
    this.#held = "%["
    this.#place = "path"
    this.#depth = 1
    this.#isEscaped = false
    return at + 1
  }

  #inPath(unit: number): void {
    const isEscaped = this.#isEscaped
    this.#isEscaped = !isEscaped && unit === 0x5c
    if (isLineBreak(unit) || this.#held.length > maxPathLength + 3) this.#giveUp()
    else if (isEscaped || this.#isEscaped) return
    else if (unit === 0x5b) this.#bracket()
    else if (unit === 0x5d) this.#close()
  }

  /** A `%[` in a path begins the reference anew, so that nothing is read twice. */
  #bracket(): void {
    if (this.#held.charAt(this.#held.length - 2) !== "%") {
      this.#depth++
      return
    }
    this.#parts.say(this.#held.slice(0, -2))
    this.#open(0)
  }

  #close(): void {
    this.#depth--
    if (this.#depth > 0) return
    const path = decodePath(this.#held.slice(2, -1).trim())
    if (path === "") this.#giveUp()
    else {
      this.#path = path
      this.#rangeAt = this.#held.length
      this.#place = "range"
    }
  }

  /** Ends the reference as soon as it is clear that lines follow or that none do. */
  #endRange(isWhole: boolean): void {
    const range = readLineRange(this.#held.slice(this.#rangeAt), isWhole)
    if (range === "unknown") return
    const { length, lines } = range
    const end = this.#rangeAt + length
    const rest = this.#held.slice(end)
    const reference: FileReference = { path: this.#path, lines }
    this.#parts.add({ type: "file", reference, written: this.#held.slice(0, end) })
    this.#held = ""
    this.#place = "words"
    this.#read(rest)
  }

  #giveUp(): void {
    this.#parts.say(this.#held)
    this.#held = ""
    this.#place = "words"
  }
}

const blanks = "[ \\t]{0,2}"
const number = "[0-9]{1,9}"
const range = new RegExp(`^${blanks}line${blanks}(${number})${blanks}[~～]${blanks}(?:line${blanks})?(${number})(?![0-9])`, "i")
const lastNumber = `(?:(?:l(?:in?)?)?|(?:line${blanks})?(?:${number})?)`
const beginning = new RegExp(
  `^${blanks}(?:(?:l(?:in?)?)?|line${blanks}(?:${number}${blanks}(?:[~～]${blanks}${lastNumber})?)?)$`,
  "i",
)

/** Reads ` Line n ~ Line n` where `text` begins with it (R8), in any case; `unknown` while more text may still make it one. */
function readLineRange(
  text: string,
  isWhole: boolean,
): { readonly length: number; readonly lines?: NonNullable<FileReference["lines"]> } | "unknown" {
  if (!isWhole && beginning.test(text)) return "unknown"
  const [found, from, to] = range.exec(text) ?? [""]
  return found === "" ? { length: 0 } : { length: found.length, lines: { from: Number(from), to: Number(to) } }
}
