import { realpathSync } from "node:fs"
import { basename } from "node:path"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { Source } from "../../core/source.ts"
import type { LintFault } from "../../lint/context.ts"
import { displayPath } from "../shipped-files.ts"
import { readSkill } from "../skills/read-skill.ts"
import { bareMessage } from "../skills/skill-problem.ts"

/** An error of loading as faults, one for each mistake that it names. A mistake without a place gets the beginning of `file`. */
export function errorFaults(error: unknown, file: string): LintFault[] {
  if (!PromptStrataError.isInstance(error)) return [{ rule: "profile", message: messageOf(error), ...placeOf(undefined, file) }]
  const rule = ruleOf(error)
  const { problems } = error.evidence
  if (Array.isArray(problems) && problems.every(isProblem))
    return problems.map(({ message, source }) => ({ ...placeOf(source, file), rule: ruleOfMessage(rule, message), message }))
  return [{ ...placeOf(error.source, file), rule, message: bareMessage(error), hint: error.hint }]
}

/** The problems of a skill: mistakes that keep it from loading, and breaches of the open Agent Skills standard. */
export function skillFaults(path: string): LintFault[] {
  const file = displayPath(path)
  try {
    const found = { path: realpathSync(path), open: basename(path).toLowerCase() === "skill.md" }
    return (
      readSkill(found, { modes: {}, trust: "author" })
        // A rule of its own reports hidden characters, and where they are.
        .problems.filter(({ rule }) => rule !== "hidden-characters")
        .map(({ severity, message, hint, source }) => ({ rule: "skill", severity, message, hint, ...placeOf(source, file) }))
    )
  } catch (error) {
    return errorFaults(error, file).map((fault) => (fault.rule === "profile" ? { ...fault, rule: "skill" } : fault))
  }
}

function isProblem(problem: unknown): problem is { readonly message: string; readonly source: Source } {
  return typeof problem === "object" && problem !== null && "message" in problem && "source" in problem
}

function placeOf(source: Source | undefined, file: string): Pick<LintFault, "file" | "position"> {
  return { file: source?.file ?? file, position: { line: source?.line ?? 1, column: source?.column ?? 1 } }
}

/** The rule that reports an error. Where one error code covers several rules, the words of the message decide. */
function ruleOf(error: PromptStrataError): LintFault["rule"] {
  const message = bareMessage(error)
  switch (error.code) {
    case "front-matter":
      return Object(error.cause).code === "DUPLICATE_KEY" ? "duplicate-key" : "front-matter"
    case "template":
      return /^cannot load|^\$\{file_load|loading one another|load one another|loaded files/.test(message)
        ? "file-load"
        : "template-syntax"
    case "prompt":
      if (message.startsWith("expected one file named")) return "profile"
      return message.includes("${rest}") ? "rest-slot" : "front-matter"
    case "file":
      return "unreadable-file"
    default:
      return ruleOfMessage("profile", message)
  }
}

/** `duplicate-key` for the message with which `parseToml` reports a key that stands twice; any other message keeps its rule. */
function ruleOfMessage(rule: LintFault["rule"], message: string): LintFault["rule"] {
  return message.startsWith("expected each key and table once") ? "duplicate-key" : rule
}
