import { authored, memoKind } from "../../core/memo.ts"
import type { Source } from "../../core/source.ts"
import type { TemplateNode } from "./ast.ts"

/** Receives the frame text that is printed. */
export type FrameSink = (text: string, source: Source) => void

/** The state of the writer where a scope began; {@link FrameWriter.close} takes it back. */
type FrameScope = ReturnType<FrameWriter["open"]>

/**
 * Prints frames, the literal text around values, so that empty slots leave no trace. White space waits until something
 * follows it. The ends of messages and scopes are trimmed. A line with only empty slots is removed whole, and an empty
 * slot beside words leaves one space. At most one blank line stands in a row. Values are not changed.
 */
export class FrameWriter {
  readonly #sink: FrameSink
  readonly #piece: "line" | "literal"
  /** White space that waits until something follows it. */
  #waiting = ""
  /** The source of the white space that waits; undefined when none waits. */
  #waitingFrom: Source | undefined
  /** True while nothing was printed in the innermost scope or the message: white space here is trimmed. */
  #leading = true
  /** True while only empty slots and blanks followed an empty slot on the line. */
  #emptied = false
  /** How many pieces were printed so far. A scope that printed none leaves no trace. */
  #printed = 0
  #message = 0
  #atStart = true

  /** With `literal` the sink gets each literal whole, with `line` line by line. */
  constructor(sink: FrameSink, piece: "line" | "literal" = "line") {
    this.#sink = sink
    this.#piece = piece
  }

  /** Prints literal text. */
  settled({ before, body, lines, after }: SettledFrame, source: Source): void {
    if (before !== "") this.#wait(before, source)
    if (body !== "") {
      const isWhole = this.#piece === "literal"
      this.line(isWhole ? body : (lines[0] ?? ""), source)
      for (let i = 1; !isWhole && i < lines.length; i++) this.#sink(lines[i] ?? "", source)
    }
    if (after !== "") this.#wait(after, source)
  }

  /** Prints a line that is laid out, in one piece with the white space that waits before it. */
  line(text: string, source: Source): void {
    this.#sink(this.#waiting === "" ? text : collapseBlank(this.#waiting) + text, source)
    this.passed()
  }

  /** Must be called before a value is printed: the white space that waits stands before it. */
  beforeContent(source: Source): void {
    if (this.#waiting !== "") this.#sink(collapseBlank(this.#waiting), this.#waitingFrom ?? source)
    this.passed()
  }

  /** The text at this place was printed before, with the white space before it. */
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
    this.#emptied = false
    if (this.#atStart) return
    this.#waiting += text
    this.#waitingFrom ??= source
  }

  /** Begins a branch or an entry: its ends are trimmed. */
  open() {
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
    const isAfterEmpty = this.#emptied
    if (isAfterEmpty) this.#emptied = !blank.includes("\n")
    if (this.#leading) return
    let kept = blank
    // Around an empty slot, only that white space is kept which a value would not have used up.
    if (isAfterEmpty && this.#waiting !== "") {
      const lineStart = this.#waiting.lastIndexOf("\n") + 1
      const lineEnd = blank.indexOf("\n")
      if (lineStart > 0 && lineEnd >= 0) {
        // Nothing else is on the line: it is removed with its indentation and its line break.
        this.#waiting = this.#waiting.slice(0, lineStart)
        kept = blank.slice(lineEnd + 1)
      } else kept = blank.slice(leadingBlank(blank).length)
    }
    this.#waiting += kept
    this.#waitingFrom ??= source
  }
}

/** Literal text whose inside is laid out. The white space at its ends depends on its neighbours and stays as written. */
interface SettledFrame {
  /** The white space it begins with, as written. A blank text is nothing else. */
  readonly before: string
  /** The text between: no blanks at the ends of lines, at most one blank line in a row. */
  readonly body: string
  /** The lines of the body, each but the first with its line break before it. A blank text has none. */
  readonly lines: readonly string[]
  /** The white space it ends with, as written. */
  readonly after: string
}

/** Lays out the inside of a literal text. */
export function settleFrame(text: string): SettledFrame {
  const start = blankStart(text)
  if (start === text.length) return { before: text, body: "", lines: [], after: "" }
  const end = blankEnd(text)
  const inside = text.slice(start, end)
  const lines = inside.includes("\n") ? evenLines(inside) : [inside]
  const body = lines.length === 1 ? inside : lines.join("")
  return { before: text.slice(0, start), body, lines, after: text.slice(end) }
}

const settledFrames = memoKind<readonly TemplateNode[], readonly (SettledFrame | undefined)[]>()

/** The laid out literals of a list of nodes, at the places of their nodes. They are computed once for each list. */
export function framesOf(nodes: readonly TemplateNode[]): readonly (SettledFrame | undefined)[] {
  return authored.made(settledFrames, nodes, () =>
    nodes.map((node) => (node.type === "literal" ? settleFrame(node.text) : undefined)),
  )
}

/** Reduces white space to at most one blank line. Blanks at the end of a line go; the indentation of the next line stays. */
function collapseBlank(blank: string): string {
  const first = blank.indexOf("\n")
  if (first < 0) return blank
  const last = blank.lastIndexOf("\n")
  if (first === 0 && last <= 1) return blank
  return (first === last ? "\n" : "\n\n") + blank.slice(last + 1)
}

/** The lines of a text that begins and ends with printed characters, each with the white space before it. */
function evenLines(text: string): string[] {
  const lines: string[] = []
  let blank = ""
  for (let from = 0; ; ) {
    const newline = text.indexOf("\n", from)
    const end = newline < 0 ? text.length : blankEnd(text, newline)
    // `join` makes a flat string. A concatenation would be copied again wherever it is printed.
    lines.push([blank, text.slice(from, end)].join(""))
    if (newline < 0) return lines
    from = blankStart(text, newline)
    blank = collapseBlank(text.slice(end, from))
  }
}

/** The spaces and tabs a line begins with. */
export function leadingBlank(line: string): string {
  let length = 0
  while (line[length] === " " || line[length] === "\t") length++
  return line.slice(0, length)
}

/** The end of the spaces, tabs and line breaks at `from`. */
export function blankStart(text: string, from = 0): number {
  let at = from
  while (text[at] === " " || text[at] === "\t" || text[at] === "\n") at++
  return at
}

/** The index where the white space before `to` begins. A loop, because `/\s+$/` is quadratic on white space in the middle. */
export function blankEnd(text: string, to = text.length): number {
  let at = to
  while (text[at - 1] === " " || text[at - 1] === "\t" || text[at - 1] === "\n") at--
  return at
}
