import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { formatSource, type Source } from "../../core/source.ts"
import type { LintFault } from "../../lint/context.ts"

/** An error of loading as faults, one for each mistake it names; without a place of its own it stands at the top of `file`. */
export function errorFaults(error: unknown, file: string): LintFault[] {
  if (!PromptStrataError.isInstance(error)) return [{ rule: "profile", message: messageOf(error), file, position: top }]
  const rule = ruleOf(error)
  const { problems } = error.evidence
  if (Array.isArray(problems) && problems.every(isProblem))
    return problems.map(({ message, source }) => ({ ...placeOf(source, file), rule: ruleOfMessage(rule, message), message }))
  const { hint } = error
  return [{ ...placeOf(error.source, file), rule, message: sentenceOf(error), ...(hint === undefined ? {} : { hint }) }]
}

const top = { line: 1, column: 1 }

function isProblem(problem: unknown): problem is { readonly message: string; readonly source: Source } {
  return typeof problem === "object" && problem !== null && "message" in problem && "source" in problem
}

function placeOf(source: Source | undefined, file: string): Pick<LintFault, "file" | "position"> {
  if (source === undefined) return { file, position: top }
  return { file: source.file, position: { line: source.line, column: source.column ?? 1 } }
}

function ruleOf(error: PromptStrataError): LintFault["rule"] {
  const { code, cause } = error
  const sentence = sentenceOf(error)
  switch (code) {
    case "front-matter":
      return isDuplicate(cause) ? "duplicate-key" : "front-matter"
    case "template":
      return /^cannot load|^\$\{file_load|loading one another|load one another|loaded files/.test(sentence)
        ? "file-load"
        : "template-syntax"
    case "prompt":
      if (sentence.startsWith("expected one file named")) return "profile"
      return sentence.includes("${rest}") ? "rest-slot" : "front-matter"
    case "file":
      return "unreadable-file"
    default:
      return ruleOfMessage("profile", sentence)
  }
}

/** TOML's parser words a key that stands twice in a sentence of its own. */
function ruleOfMessage(rule: LintFault["rule"], message: string): LintFault["rule"] {
  return message.startsWith("expected each key and table once") ? "duplicate-key" : rule
}

function isDuplicate(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "DUPLICATE_KEY"
}

/** An error's own sentence: its message without the place, the lines and the hint around it. */
function sentenceOf({ message, source, frame = "", hint = "" }: PromptStrataError): string {
  const where = source ? `${formatSource(source)}: ` : ""
  const start = message.startsWith(where) ? where.length : 0
  return [hint, frame].reduce(
    (text, tail) => (tail !== "" && text.endsWith(`\n${tail}`) ? text.slice(0, -tail.length - 1) : text),
    message.slice(start),
  )
}
