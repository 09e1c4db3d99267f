import { locatedError, PromptStrataError } from "../../core/errors.ts"
import { codeFrame, formatSource, type Position, positionAt, type Source } from "../../core/source.ts"

/** What can be wrong with a skill. */
export type SkillRule =
  | "allowed-tools"
  | "collision"
  | "compatibility"
  | "content"
  | "description"
  | "file"
  | "front-matter"
  | "hidden-characters"
  | "license"
  | "metadata"
  | "missing"
  | "mode"
  | "name"
  | "outside"
  | "priority"
  | "too-many-files"
  | "unknown-key"

/** Something wrong with a skill, as data. An `error` says that it was not loaded, a `warning` that it was, as best it could be. */
export interface SkillProblem {
  readonly severity: "error" | "warning"
  readonly rule: SkillRule
  /** One sentence: what was expected and what was found. */
  readonly message: string
  /** Which of the given references led to it. */
  readonly reference?: string
  readonly source?: Source
  /** The lines around the place with a caret. */
  readonly frame?: string
  readonly hint?: string
}

/** A skill's file, for problems in it. */
export interface SkillText {
  /** As people read it. */
  readonly file: string
  readonly whole: string
  /** Where front matter begins and ends, in UTF-16 units; equal where there is none. */
  readonly block: { readonly start: number; readonly end: number }
}

/** A problem at a place in a skill's file. */
export function problemAt(
  { file, whole }: Pick<SkillText, "file" | "whole">,
  position: Position,
  problem: Omit<SkillProblem, "source" | "frame">,
): SkillProblem {
  return { ...problem, source: { file, ...position }, frame: codeFrame(whole, position) }
}

/** Where a key of the front matter stands; the file's beginning where it has none of that name. */
export function positionOfKey({ whole, block }: SkillText, key: string): Position {
  let start = block.start
  while (start < block.end) {
    if (whole.startsWith(key, start) && /^["']?[ \t]*:/.test(whole.slice(start + key.length, start + key.length + 20)))
      return positionAt(whole, start)
    const lineEnd = whole.indexOf("\n", start)
    if (lineEnd < 0) break
    start = lineEnd + 1
  }
  return { line: 1, column: 1 }
}

/** An error of reading, as a problem; what is no error of this library is thrown on. */
export function problemOf(error: unknown, { reference }: { readonly reference?: string } = {}): SkillProblem {
  if (!PromptStrataError.isInstance(error)) throw error
  const { source, frame, hint, code } = error
  return {
    severity: "error",
    rule: code === "front-matter" ? "front-matter" : "file",
    message: sentenceOf(error),
    ...(source ? { source } : {}),
    ...(frame === undefined ? {} : { frame }),
    ...(hint === undefined ? {} : { hint }),
    ...(reference === undefined ? {} : { reference }),
  }
}

/** An error's own sentence, without the place, the lines and the hint that its message repeats. */
function sentenceOf({ message, source, frame = "", hint = "" }: PromptStrataError): string {
  const where = source ? `${formatSource(source)}: ` : ""
  const start = message.startsWith(where) ? where.length : 0
  return [hint, frame].reduce(
    (text, tail) => (tail !== "" && text.endsWith(`\n${tail}`) ? text.slice(0, -tail.length - 1) : text),
    message.slice(start),
  )
}

/** A located error about a skill's file, thrown where nothing of it can be used. */
export function skillFault(text: SkillText, key: string | undefined, message: string, hint?: string): PromptStrataError {
  return locatedError("front-matter", message, {
    file: text.file,
    text: text.whole,
    position: key === undefined ? { line: 1, column: 1 } : positionOfKey(text, key),
    ...(hint === undefined ? {} : { hint }),
  })
}
