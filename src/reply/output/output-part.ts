import type { FileAttachment } from "../../core/conversation.ts"
import type { Reader } from "../../core/reader.ts"
import type { FileReference } from "../../prompt/encode/file-reference.ts"

/** A part of an answer, as the pipeline that reads it yields it. */
export type OutputPart =
  | { readonly type: "text"; readonly delta: string }
  /** A typed event of a format (L4). */
  | { readonly type: "emotion"; readonly emotion: string; readonly asset?: string }
  /** Ends a bubble; the last bubble has one, too. A bubble may be blank. */
  | { readonly type: "bubble-end" }
  /** The last part of an answer without words, in which the agent chose to say nothing (R10). */
  | { readonly type: "empty-reply" }
  /** An event of a user's own format; `data` is plain JSON. */
  | { readonly type: "event"; readonly name: string; readonly data: unknown }
  /** A file that the answer shows (R8); `written` is the text of the reference, for the case that the file cannot be opened. */
  | { readonly type: "file"; readonly reference: FileReference; readonly written: string }
  /** A file that the model made, once it is read; undefined if it cannot be used. */
  | { readonly type: "made-file"; readonly file: Promise<FileAttachment | undefined> }
  /** The output did not keep to its format, and its text is delivered all the same; or `links` were removed. */
  | { readonly type: "warning"; readonly kind?: "links"; readonly message: string }

/**
 * One stage of the pipeline: text in, parts out. A part that is not text passes through in its place, after the text that the
 * stage held back.
 */
export type OutputReader = Reader<OutputPart, OutputPart>

/** The options in the front matter of a format's Markdown file. */
export interface FormatOptions {
  /** The emotions that the format's text asks for. Others are yielded too, with a warning. */
  readonly emotions?: readonly string[]
}

/**
 * The parser of a structured answer (L4). A Markdown file describes the same structure to the model in words and names this
 * parser in its front matter, `parser: NAME`.
 *
 * Its reader gets the answer in pieces, cut anywhere. It yields text and what it found in the text, as `emotion` or as an
 * `event` of its own. Another cutting must yield the same parts, once neighbouring texts are joined. It holds back only
 * text that may still become a mark, and yields it in `end`. Text that does not keep to the format is yielded as it is, with
 * one `warning`, so that no words for the user are lost.
 */
export interface OutputFormat {
  readonly name: string
  /** The emotions that its file asks for, if it says so. */
  readonly emotions?: readonly string[] | undefined
  /** Creates a reader for one stretch of an answer: all of it, or the text between two tool calls. */
  createReader(options: FormatOptions): Reader<string, OutputPart>
}

/**
 * Makes a stage of readers of plain text. Each stretch of text, up to a part of another type, gets a reader of its own,
 * which ends before that part passes. `createReader` gets the reader before and that part, but for the first.
 */
export function createTextStage<TextReader extends Reader<string, OutputPart>>(
  createReader: (before?: TextReader, part?: OutputPart) => TextReader,
): OutputReader {
  let reader = createReader()
  return {
    push(part) {
      if (part.type === "text") return reader.push(part.delta)
      const held = reader.end()
      reader = createReader(reader, part)
      return [...held, part]
    },
    end: () => reader.end(),
  }
}

/** A list of parts that joins neighbouring texts and drops empty ones. */
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

  /** Empties the list and returns what it held. */
  take(): OutputPart[] {
    const taken = this.#parts
    this.#parts = []
    return taken
  }
}
