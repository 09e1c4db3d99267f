import type { Source } from "../../../src/core/source.ts"
import type { TemplateNode } from "../../../src/prompt/template/ast.ts"
import type { FrameSink } from "../../../src/prompt/template/frame-writer.ts"
import type { WalkHost } from "../../../src/prompt/template/render.ts"

/** White space that waits until something follows it. */
interface Waiting {
  readonly text: string
  readonly source?: Source
}

interface PlainScope {
  readonly waiting: Waiting
  readonly leading: boolean
  readonly printed: number
  readonly message: number
}

const nothing: Waiting = { text: "" }

/** Prints frames by looking at every character of a literal each time: what a writer of settled literals must agree with. */
export class PlainFrameWriter {
  readonly #sink: FrameSink
  #waiting = nothing
  #leading = true
  #emptied = false
  #printed = 0
  #message = 0
  #atStart = true

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  frame(text: string, source: Source): void {
    for (const [, blank = "", line = ""] of text.matchAll(/([ \t\n]*)([^ \t\n](?:[^\n]*[^ \t\n])?)?/g)) {
      if (blank !== "") this.#wait(blank, source)
      if (line !== "") this.#flush(line, source)
    }
  }

  beforeContent(source: Source): void {
    this.#flush("", source)
  }

  empty(): void {
    this.#emptied = true
  }

  separate(text: string, source: Source): void {
    if (!this.#atStart) this.#waiting = { text: this.#waiting.text + text, source: this.#waiting.source ?? source }
    this.#emptied = false
  }

  open(): PlainScope {
    const scope = { waiting: this.#waiting, leading: this.#leading, printed: this.#printed, message: this.#message }
    this.#leading = true
    return scope
  }

  close(scope: PlainScope): boolean {
    const printed = this.#printed > scope.printed
    const sameMessage = this.#message === scope.message
    this.#waiting = printed || !sameMessage ? nothing : scope.waiting
    this.#leading = printed ? false : sameMessage ? scope.leading : true
    this.#emptied = false
    return printed
  }

  startMessage(): void {
    this.#waiting = nothing
    this.#leading = true
    this.#emptied = false
    this.#atStart = true
    this.#message++
  }

  #wait(blank: string, source: Source): void {
    const breaks = blank.includes("\n")
    const emptied = this.#emptied
    this.#emptied &&= !breaks
    if (this.#leading) return
    const { text: before } = this.#waiting
    let kept = before + blank
    if (emptied && before.includes("\n") && breaks)
      kept = before.slice(0, before.lastIndexOf("\n") + 1) + blank.slice(blank.indexOf("\n") + 1)
    else if (emptied && before !== "") kept = before + blank.replace(/^[ \t]+/, "")
    this.#waiting = { text: kept, source: this.#waiting.source ?? source }
  }

  #flush(body: string, source: Source): void {
    const blank = this.#waiting.text.replace(/^[ \t]*\n(?:[ \t]*\n)*/, (breaks) =>
      breaks.split("\n").length > 2 ? "\n\n" : "\n",
    )
    if (blank + body !== "") this.#sink(blank + body, body === "" ? (this.#waiting.source ?? source) : source)
    this.#waiting = nothing
    this.#leading = false
    this.#emptied = false
    this.#atStart = false
    this.#printed++
  }
}

/** Walks a template with a plain writer, as `walk` does with its own. */
export function walkPlainly(nodes: readonly TemplateNode[], writer: PlainFrameWriter, host: WalkHost): void {
  const inner = (branch: readonly TemplateNode[]) => {
    if (branch.length === 0) return false
    const scope = writer.open()
    walkPlainly(branch, writer, host)
    return writer.close(scope)
  }
  for (const node of nodes) {
    if (node.type === "literal") writer.frame(node.text, node.source)
    else if (node.type === "role") host.role(node.role, node.source)
    else if (node.type === "messages") host.messages(node.name, node.source)
    else if (node.type === "slot") {
      if (!host.slot(node) && !inner(node.placeholder ?? [])) writer.empty()
    } else if (!inner(host.holds(node.name, node.source) ? node.then : node.otherwise)) writer.empty()
  }
}
