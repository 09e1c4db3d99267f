import type { LintSeverity } from "./context.ts"

/** A change of a file's text: the text from `start` to `end` (UTF-16 offsets into the file as it is on disk) becomes `text`. */
export type TextEdit = { readonly start: number; readonly end: number; readonly text: string }

/** Something that a rule found in an authored file, as data. */
export interface LintProblem {
  readonly rule: string
  readonly severity: LintSeverity
  /** One sentence: what was expected and what was found. */
  readonly message: string
  /** The file as messages show it. */
  readonly file: string
  /** 1-based, as is the column, which counts code points. */
  readonly line: number
  readonly column: number
  /** The column after its last character, on the same line. */
  readonly endColumn?: number | undefined
  /** Advice on how to mend it. */
  readonly hint?: string | undefined
  /** Edits that mend it without changing what the file means. */
  readonly fix?: readonly TextEdit[] | undefined
}

/** Applies the fixes of a file's problems to its text. Of two edits that overlap only the first is applied. */
export function applyFixes(text: string, problems: readonly Pick<LintProblem, "fix">[]): string {
  const edits = problems
    .flatMap(({ fix = [] }) => fix)
    .filter(({ start, end }) => start >= 0 && start <= end && end <= text.length)
    .sort((a, b) => a.start - b.start || a.end - b.end)
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: replacement } of edits) {
    if (start < at) continue
    parts.push(text.slice(at, start), replacement)
    at = end
  }
  return parts.join("") + text.slice(at)
}
