import type { PromptStrataError } from "../core/errors.ts"
import { foundAt, type ParseState, templateError } from "./parse-state.ts"
import { type Scanner, skipBlank } from "./scanner.ts"

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

/** What to say when `wanted` does not stand here; at the end of the text the fault is the `${` that was never closed. */
export function unexpected(state: ParseState, open: number, wanted: string): PromptStrataError {
  const { scanner } = state
  if (scanner.at < scanner.text.length) return templateError(state, scanner.at, `expected ${wanted}, found ${foundAt(scanner)}.`)
  return templateError(state, open, "expected a } for this ${, found the end of the file.", {
    hint: "Close it with }, or write $${ for the characters ${.",
  })
}
