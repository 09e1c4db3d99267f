import type { ErrorDetails, PromptStrataError } from "../../core/errors.ts"
import { locatedError } from "../../core/evidence/located-error.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { type Position, positionAt } from "../../core/source.ts"
import type { TemplateNode } from "./ast.ts"
import { type Scanner, skipBlank } from "./scanner.ts"

/** How deep `${…}` may nest, over all files of a template. */
export const maxDepth = 64

/** One file while it is parsed. */
export interface ParseState {
  readonly file: string
  /** The line of the file on which the text begins: more than 1 after front matter. */
  readonly firstLine: number
  readonly scanner: Scanner
  /** Gives the line and column of an offset, in lines of the file. */
  readonly locate: (offset: number) => Position
  /** Parses another file. `offset` is the place of the directive that asks for it. */
  readonly include: (path: string, offset: number, depth: number) => readonly TemplateNode[]
}

/** Creates a template error with file, line, column and a caret at `offset`. */
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
    // The text does not include the front matter. Blank lines in its place keep the line numbers right.
    text: "\n".repeat(state.firstLine - 1) + text,
    position: { line: line + state.firstLine - 1, column },
    ...details,
  })
}

const word = lazyPattern(String.raw`^[\p{L}\p{M}\p{N}_-]+`, "u")

/** Names the text at the scanner, which is not at the end, for error messages. */
function foundAt({ text, at }: Scanner): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (character === "\n") return "a line break"
  const found = word().exec(text.slice(at, at + 60))?.[0]
  return JSON.stringify(found ?? character)
}

/** Steps over `mark` when it stands here. */
export function takeMark(scanner: Scanner, mark: string): boolean {
  if (scanner.text[scanner.at] !== mark) return false
  scanner.at++
  return true
}

/** Reads the `}` of the expression that began at `open`. */
export function closeExpression(state: ParseState, open: number, wanted: string): void {
  skipBlank(state.scanner)
  if (takeMark(state.scanner, "}")) return
  throw unexpected(state, open, wanted)
}

/** The error for text other than `wanted`. At the end of the file it points to the `${` that was never closed. */
export function unexpected(state: ParseState, open: number, wanted: string): PromptStrataError {
  const { scanner } = state
  if (scanner.at < scanner.text.length) return templateError(state, scanner.at, `expected ${wanted}, found ${foundAt(scanner)}.`)
  return templateError(state, open, "expected a } for this ${, found the end of the file.", {
    hint: "Close it with }, or write $${ for the characters ${.",
  })
}
