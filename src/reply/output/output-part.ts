import type { Reader } from "../../core/reader.ts"
import type { FileReference } from "../../encode/file-reference.ts"

/** What comes out of the pipeline that reads an answer. */
export type OutputPart =
  | { readonly type: "text"; readonly delta: string }
  /** A typed event of a format (L4). */
  | { readonly type: "emotion"; readonly emotion: string }
  /** Stands after each bubble, the last one too; a bubble may be blank. */
  | { readonly type: "bubble-end" }
  /** The agent chose to say nothing (R10): the last part of an answer without words. */
  | { readonly type: "empty-reply" }
  /** What a user's own format yields; `data` is plain JSON. */
  | { readonly type: "event"; readonly name: string; readonly data: unknown }
  /** A file that the answer shows (R8); `written` is what stood there, for the case that it cannot be opened. */
  | { readonly type: "file"; readonly reference: FileReference; readonly written: string }
  /** The output did not keep to its format; nothing of it is lost. */
  | { readonly type: "warning"; readonly message: string }

/**
 * One stage of the pipeline: text in, parts out. A part that is not text passes through in its place, after whatever text the
 * stage held back.
 */
export type OutputReader = Reader<OutputPart, OutputPart>

/** What a format's Markdown file says in its front matter beside the name of its parser. */
export interface FormatOptions {
  /** The emotions that the format's text asks for. Others are told all the same, with a warning. */
  readonly emotions?: readonly string[]
}

/**
 * How an answer is structured (L4): the parser to a Markdown file that tells the model the same in words and names this one
 * in its front matter, `parser: NAME`.
 *
 * Its reader is given the answer in pieces, cut anywhere, and yields text and what it found in it, as `emotion` or as an
 * `event` of its own. Another cutting must yield the same parts, once neighbouring texts are joined. It holds back no more
 * than what may still become a mark, and gives it out in `end`. What does not keep to the format is text as it stands, with one
 * `warning`: nothing that may be words for the user is lost.
 */
export interface OutputFormat {
  readonly name: string
  /** A new reader for one stretch of an answer: all of it, or what stands between two tool calls. */
  createReader(options: FormatOptions): Reader<string, OutputPart>
}

/** Parts in order; neighbouring texts become one, empty ones none. */
export class PartList {
  #parts: OutputPart[] = []

  add(part: OutputPart): void {
    if (part.type !== "text") this.#parts.push(part)
    else this.say(part.delta)
  }

  say(delta: string): void {
    if (delta === "") return
    const last = this.#parts.at(-1)
    if (last?.type === "text") this.#parts[this.#parts.length - 1] = { type: "text", delta: last.delta + delta }
    else this.#parts.push({ type: "text", delta })
  }

  /** Empties it and hands back what it held. */
  take(): OutputPart[] {
    const taken = this.#parts
    this.#parts = []
    return taken
  }
}

/** The parts with neighbouring texts joined: what two cuttings of one answer have in common. */
export function joinTexts(parts: readonly OutputPart[]): OutputPart[] {
  const list = new PartList()
  for (const part of parts) list.add(part)
  return list.take()
}
