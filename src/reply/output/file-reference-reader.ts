import { decodePath, type FileReference, maxPathLength } from "../../encode/file-reference.ts"
import { isLineBreak } from "../../encode/line-breaks.ts"
import { type OutputReader, PartList } from "./output-part.ts"

/**
 * Finds `%[path]` and `%[path] Line n ~ Line n` in an answer (R8): each becomes a `file` with what was written. Brackets in a path
 * stand in pairs or behind a backslash; a path ends with its line. Holds back at most one reference; work is linear in the text.
 */
export function createFileReferenceReader(): OutputReader {
  const parts = new PartList()
  const reader = new ReferenceReader(parts)
  return {
    push(part) {
      if (part.type === "text") reader.read(part.delta)
      else {
        reader.flush()
        parts.add(part)
      }
      return parts.take()
    },
    end() {
      reader.flush()
      return parts.take()
    },
  }
}

/** Where the reader stands: in words, in a path, or behind one, where lines may follow. */
type Place = "words" | "path" | "range"

class ReferenceReader {
  readonly #parts: PartList
  #place: Place = "words"
  /** What was read since `%`, or since the `%` that may begin a reference. */
  #held = ""
  /** How many brackets of the path are open. */
  #depth = 0
  #isEscaped = false
  #path = ""
  /** Where in `#held` lines may follow. */
  #rangeAt = 0

  constructor(parts: PartList) {
    this.#parts = parts
  }

  read(delta: string): void {
    for (let at = 0; at < delta.length; ) at = this.#step(delta, at)
  }

  /** Gives out what was held: what comes next does not belong to it. */
  flush(): void {
    if (this.#place === "range") this.#endRange(true)
    this.#giveUp()
  }

  /** Reads on from `at`; hands back where it came to. */
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

  /** A `%[` in a path is where the reference really begins: so nothing is ever read twice. */
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
    const path = decodePath(this.#held.slice(2, -1)).trim()
    if (path === "") this.#giveUp()
    else {
      this.#path = path
      this.#rangeAt = this.#held.length
      this.#place = "range"
    }
  }

  /** Ends the reference as soon as it is clear whether lines follow. */
  #endRange(isWhole: boolean): void {
    const range = readLineRange(this.#held.slice(this.#rangeAt), isWhole)
    if (range === "unknown") return
    const { length, lines } = range
    const end = this.#rangeAt + length
    const rest = this.#held.slice(end)
    const reference: FileReference = { path: this.#path, ...(lines === undefined ? {} : { lines }) }
    this.#parts.add({ type: "file", reference, written: this.#held.slice(0, end) })
    this.#held = ""
    this.#place = "words"
    this.read(rest)
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
