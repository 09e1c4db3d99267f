import type { Reader } from "../../core/reader.ts"

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
  /** The output did not keep to its format; nothing of it is lost. */
  | { readonly type: "warning"; readonly message: string }

/**
 * One stage of the pipeline: text in, parts out. A part that is not text passes through in its place, after whatever text the
 * stage held back.
 */
export type OutputReader = Reader<OutputPart, OutputPart>
