/** A change of a file's text: what stands from `start` to `end` (UTF-16 offsets into the text as it is on disk) becomes `text`. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** `error`: it does not load or does not do what its author meant; `warning`: it works, but hardly as meant. */
export type LintSeverity = "error" | "warning"

/** Something a rule found in an authored file, as data; `lint` prints it elsewhere. */
export interface LintProblem {
  readonly rule: string
  readonly severity: LintSeverity
  /** What was expected and what was found, a sentence. */
  readonly message: string
  /** The file as messages show it. */
  readonly file: string
  /** 1-based, as is the column, which counts code points. */
  readonly line: number
  readonly column: number
  /** Where it ends on the same line, exclusive. */
  readonly endColumn?: number
  /** What to do about it. */
  readonly hint?: string
  /** A change that cannot alter what the file means. */
  readonly fix?: readonly TextEdit[]
}

/** A problem before its rule's name stands on it. */
export type LintFinding = Omit<LintProblem, "rule">
