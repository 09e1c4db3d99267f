import { messageOf } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { PromptSource } from "../../dialect/prompt-source.ts"
import { readPromptAttributes } from "../../dialect/prompt-source.ts"
import { hasLineBreak } from "../../encode/line-breaks.ts"
import type { LintFile } from "../context.ts"
import { keyPosition } from "../key-position.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** What the front matter of each kind of file may hold; of a skill, reading it says more. */
const knownKeys: Readonly<Partial<Record<LintFile["kind"], readonly string[]>>> = {
  prompt: ["omit", "optional", "separator"],
  tool: ["description", "usage_hint", "parameters"],
  persona: ["name", "user"],
  format: ["parser", "emotions"],
  final: [],
}

/** Front matter that nobody reads, or that is of the wrong kind. */
export const frontMatterKeys = lintRule(
  "front-matter-keys",
  "Keys in front matter that no reader of such a file knows, and values of the wrong kind.",
  ({ files }) =>
    files.flatMap((file) => (file.source ? [...unknownKeys(file, file.source), ...wrongValues(file, file.source)] : [])),
)

function unknownKeys(file: LintFile, { attributes }: PromptSource): LintFinding[] {
  const known = knownKeys[file.kind]
  if (known === undefined) return []
  const expected = known.length === 0 ? "no keys" : `only ${known.join(", ")}`
  return Object.keys(attributes)
    .filter((key) => !known.includes(key))
    .map((key) => finding(file, key, `expected ${expected} in the front matter, found ${key}.${didYouMean(key, known)}`))
}

function wrongValues(file: LintFile, source: PromptSource): LintFinding[] {
  const { attributes } = source
  switch (file.kind) {
    case "prompt":
      return wrongPromptValue(file, source)
    case "persona":
      return ["name", "user"]
        .filter((key) => !isLine(attributes[key]))
        .map((key) => notA(file, key, "one line of text that is not blank"))
    case "format":
      return isLine(attributes.parser) ? [] : [notA(file, "parser", "the name of a parser")]
    case "tool":
      return wrongWords(file, attributes)
    default:
      return []
  }
}

/** Each key is read alone, so that all of them are told. */
function wrongPromptValue(file: LintFile, source: PromptSource): LintFinding[] {
  return (knownKeys.prompt ?? []).flatMap((key) => {
    if (source.attributes[key] === undefined) return []
    try {
      readPromptAttributes({ ...source, attributes: { [key]: source.attributes[key] } })
      return []
    } catch (error) {
      return [finding(file, key, messageOf(error).replace(`${source.path}:1: `, ""))]
    }
  })
}

function wrongWords(file: LintFile, { description, usage_hint: hint, parameters }: PromptSource["attributes"]): LintFinding[] {
  const isText = (value: unknown) => typeof value === "string" && value.trim() !== ""
  const isTexts = (value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isText)
  return [
    ...(isText(description) ? [] : [notA(file, "description", "text that tells a model what the tool does")]),
    ...(hint === undefined || isText(hint) ? [] : [notA(file, "usage_hint", "text that tells a model when to use the tool")]),
    ...(parameters === undefined || isTexts(parameters) ? [] : [notA(file, "parameters", "a text for each parameter")]),
  ]
}

function isLine(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && value.trim() !== "" && !hasLineBreak(value))
}

function notA(file: LintFile, key: string, expected: string): LintFinding {
  return finding(file, key, `${key}: expected ${expected}, found ${JSON.stringify(file.source?.attributes[key]) ?? "nothing"}.`)
}

function finding(file: LintFile, key: string, message: string): LintFinding {
  return { severity: "error", message, file: file.file, ...keyPosition(file, key) }
}
