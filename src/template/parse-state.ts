import { type ErrorDetails, locatedError, type PromptStrataError } from "../core/errors.ts"
import { lazyPattern } from "../core/lazy-pattern.ts"
import { type Position, positionAt } from "../core/source.ts"
import type { TemplateNode } from "./ast.ts"
import type { Scanner } from "./scanner.ts"

/** How deep `${…}` may nest, over all files of a template. */
export const maxDepth = 64

/** One file while it is parsed. */
export interface ParseState {
  readonly file: string
  /** The line of the file on which the text begins: more than 1 after front matter. */
  readonly firstLine: number
  readonly scanner: Scanner
  /** The position of an offset, in lines of the file. */
  readonly locate: (offset: number) => Position
  /** The nodes of another file; `offset` is where this file asks for it. */
  readonly include: (path: string, offset: number, depth: number) => readonly TemplateNode[]
}

/** A template error with file, line, column and caret at `offset`. */
export function templateError(
  state: Pick<ParseState, "file" | "firstLine" | "scanner">,
  offset: number,
  message: string,
  details: Pick<ErrorDetails<"template">, "hint" | "cause" | "evidence"> = {},
): PromptStrataError {
  const text = state.scanner.text
  const { line, column } = positionAt(text, offset)
  return locatedError("template", message, {
    file: state.file,
    // The lines of the front matter are not here; blank ones keep the numbers right.
    text: "\n".repeat(state.firstLine - 1) + text,
    position: { line: line + state.firstLine - 1, column },
    ...details,
  })
}

const word = lazyPattern(String.raw`^[\p{L}\p{M}\p{N}_-]+`, "u")

/** What stands at the scanner, for messages. */
export function foundAt({ text, at }: Scanner): string {
  if (at >= text.length) return "the end of the file"
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (character === "\n") return "a line break"
  const found = word().exec(text.slice(at, at + 60))?.[0]
  return JSON.stringify(found ?? character)
}
