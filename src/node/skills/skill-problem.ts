import { fullMessage, PromptStrataError } from "../../core/errors.ts"
import { codeFrame, locatedError } from "../../core/evidence/located-error.ts"
import { formatSource, type Position, type Source } from "../../core/source.ts"
import { keyPosition } from "../../lint/text-positions.ts"

/** The kinds of problems that a skill can have. */
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

/** Something wrong with a skill, as data. After an `error` the skill is not loaded; after a `warning` it is, as well as it can be. */
export interface SkillProblem {
  readonly severity: "error" | "warning"
  readonly rule: SkillRule
  /** One sentence: what was expected and what was found. */
  readonly message: string
  /** The reference given by the caller that led to the skill. */
  readonly reference?: string | undefined
  readonly source?: Source | undefined
  /** The lines around the place, with a caret. */
  readonly frame?: string | undefined
  /** Advice on how to mend it. */
  readonly hint?: string | undefined
}

/** The text of a skill's file, for problems in it. */
export interface SkillText {
  /** The file as messages show it. */
  readonly file: string
  readonly whole: string
  /** The line on which its body begins. */
  readonly firstLine: number
}

/** A warning at a key of the front matter. */
export function warningAt(
  text: SkillText,
  { key, ...problem }: Pick<SkillProblem, "rule" | "message" | "hint"> & { readonly key: string },
): SkillProblem {
  const position = positionOfKey(text, key)
  const source = { file: text.file, ...position }
  return { severity: "warning", ...problem, source, frame: codeFrame(text.whole, position) }
}

/** Adds a warning about a key. Its rule has the name of the key unless another one is given. */
export type Warn = (rule: SkillRule, message: string, hint?: string, key?: string) => void

/** A function that adds warnings about the keys of a file to `problems`. */
export function warnInto(problems: SkillProblem[], text: SkillText): Warn {
  return (rule, message, hint, key = rule) => problems.push(warningAt(text, { rule, key, message, hint }))
}

/** A located error for a skill of which nothing can be used. Without a key it points at the beginning of the file. */
export function skillFault(text: SkillText, key: string | undefined, message: string, hint?: string): PromptStrataError {
  return locatedError("front-matter", message, {
    file: text.file,
    text: text.whole,
    position: key === undefined ? { line: 1, column: 1 } : positionOfKey(text, key),
    hint,
  })
}

function positionOfKey({ whole, firstLine }: SkillText, key: string): Position {
  return keyPosition({ text: whole, source: { firstLine } }, key)
}

/** An error of reading a skill, as a problem. Throws anything that is no error of this library. */
export function problemOf(error: unknown): SkillProblem {
  if (!PromptStrataError.isInstance(error)) throw error
  const { source, frame, hint, code } = error
  const rule = code === "front-matter" ? "front-matter" : "file"
  return { severity: "error", rule, message: bareMessage(error), source, frame, hint }
}

/** The sentence of an error's message, without the place, the lines and the hint that the message repeats. */
export function bareMessage({ message, source, frame = "", hint = "" }: PromptStrataError): string {
  const where = source ? `${formatSource(source)}: ` : ""
  const start = message.startsWith(where) ? where.length : 0
  return [hint, frame].reduce(
    (text, tail) => (tail !== "" && text.endsWith(`\n${tail}`) ? text.slice(0, -tail.length - 1) : text),
    message.slice(start),
  )
}

/** A problem as people read it: its place, its sentence, the lines around it, what to do. */
export function printProblem({ source, message, frame, hint }: SkillProblem): string {
  return fullMessage(message, { source, frame, hint })
}
