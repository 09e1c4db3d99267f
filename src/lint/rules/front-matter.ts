import { messageOf } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import { didYouMean } from "../../core/suggest.ts"
import { readPromptAttributes } from "../../prompt/dialect/prompt-attributes.ts"
import type { PromptSource } from "../../prompt/dialect/prompt-source.ts"
import { hasLineBreak } from "../../prompt/encode/line-breaks.ts"
import { formats } from "../../reply/output/formats.ts"
import { finding, type LintContext, type LintFile, type LintFileKind, type LintFinding, lintRule } from "../rule.ts"
import { keyPosition } from "../text-positions.ts"

/** The keys that the front matter of each kind of file may have. Skills are not here: reading a skill checks its keys. */
const knownKeys: Readonly<Partial<Record<LintFileKind, readonly string[]>>> = {
  prompt: ["omit", "optional", "separator"],
  tool: ["description", "usage_hint", "parameters"],
  persona: ["name", "user", "colour"],
  format: ["parser", "emotions"],
  final: [],
}

/** Keys of front matter that nothing reads, and values of the wrong kind. */
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
    .map((key) => keyError(file, key, `expected ${expected} in the front matter, found ${key}.${didYouMean(key, known)}`))
}

function wrongValues(file: LintFile, source: PromptSource): LintFinding[] {
  const { name, user, parser } = source.attributes
  if (file.kind === "prompt") return wrongPromptValues(file, source)
  if (file.kind === "tool") return wrongToolWords(file, source)
  if (file.kind === "format") return isLine(parser) ? [] : [wrongValue(file, "parser", "the name of a parser")]
  if (file.kind !== "persona") return []
  return Object.entries({ name, user })
    .filter(([, value]) => !isLine(value))
    .map(([key]) => wrongValue(file, key, "one line of text that is not blank"))
}

/** Reads each key by itself, so that every wrong value is reported. */
function wrongPromptValues(file: LintFile, source: PromptSource): LintFinding[] {
  return (knownKeys.prompt ?? []).flatMap((key) => {
    try {
      readPromptAttributes({ ...source, attributes: { [key]: source.attributes[key] } })
      return []
    } catch (error) {
      return [keyError(file, key, messageOf(error).replace(`${source.path}:1: `, ""))]
    }
  })
}

function wrongToolWords(file: LintFile, { attributes }: PromptSource): LintFinding[] {
  const { description, usage_hint: hint, parameters } = attributes
  const isText = (value: unknown) => typeof value === "string" && value.trim() !== ""
  const isTexts = (value: unknown) => isRecord(value) && Object.values(value).every(isText)
  return [
    ...(isText(description) ? [] : [wrongValue(file, "description", "text that tells a model what the tool does")]),
    ...(hint === undefined || isText(hint)
      ? []
      : [wrongValue(file, "usage_hint", "text that tells a model when to use the tool")]),
    ...(parameters === undefined || isTexts(parameters) ? [] : [wrongValue(file, "parameters", "a text for each parameter")]),
  ]
}

function isLine(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && value.trim() !== "" && !hasLineBreak(value))
}

function wrongValue(file: LintFile, key: string, expected: string): LintFinding {
  const found = JSON.stringify(file.source?.attributes[key]) ?? "nothing"
  return keyError(file, key, `${key}: expected ${expected}, found ${found}.`)
}

function keyError(file: LintFile, key: string, message: string): LintFinding {
  return finding(file.file, message, { severity: "error", ...keyPosition(file, key) })
}

/** Formats without a `parser`, or with one that does not exist: answers in them are shown with their marks (L4). */
export const formatParser = lintRule(
  "format-parser",
  "A format that names no parser, or one which neither ships nor comes with a plugin.",
  (context) => context.files.filter(({ kind }) => kind === "format").flatMap((file) => parserFindings(file, context)),
)

function parserFindings(file: LintFile, { profiles }: LintContext): LintFinding[] {
  const plugins = profiles.flatMap(({ profile }) => profile?.plugins ?? [])
  const all = [...formats, ...plugins.flatMap((plugin) => plugin.formats ?? [])]
  const known = [...new Set(all.map(({ name }) => name))].sort()
  const list = known.join(", ")
  const parser = file.source?.attributes.parser
  if (file.source !== undefined && parser === undefined) {
    const message = `expected a parser (${list}) in the front matter, found none: answers are shown as they come.`
    return [finding(file.file, message, { hint: "If that is meant, write parser: plain." })]
  }
  if (typeof parser !== "string" || known.includes(parser)) return []
  // A profile that does not load may name the plugin that brings the parser.
  const severity = profiles.every(({ profile }) => profile !== undefined) ? "error" : "warning"
  const message = `expected a parser (${list}), found ${JSON.stringify(parser)}.${didYouMean(parser, known)}`
  const hint = "A plugin can bring a parser of your own among its formats."
  return [finding(file.file, message, { severity, ...keyPosition(file, "parser"), hint })]
}
