import { didYouMean } from "../../core/suggest.ts"
import type { LintContext, LintFile } from "../context.ts"
import { knownSlots } from "../known-slots.ts"
import { oneLetterFrom } from "../near-name.ts"
import { type NamedNode, namedNodes } from "../nodes.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

const hint =
  "A variable of the profile can fill it. If a hook or an injection does, say so in the front matter: optional: [name]."

/** Slots and conditions that nothing fills (T37). One letter from a known name it is a mistake; else a hook may fill it. */
export const unknownSlot = lintRule(
  "unknown-slot",
  "A slot or condition that neither the library nor a profile's variable fills.",
  (context) => context.files.filter(({ kind }) => kind === "prompt").flatMap((file) => slotsOf(file, context)),
)

function slotsOf(file: LintFile, context: LintContext): LintFinding[] {
  const known = knownSlots(file, context)
  if (known === undefined || file.template === undefined) return []
  return namedNodes(file.template.nodes)
    .filter(({ name, source }) => !known.has(name) && source.file === file.file)
    .map((node) => finding(node, [...known].sort()))
}

function finding({ name, source }: NamedNode, known: readonly string[]): LintFinding {
  const isTypo = oneLetterFrom(name, known) !== undefined
  return {
    severity: isTypo ? "error" : "warning",
    message: `nothing fills \${${name}}.${didYouMean(name, known)}`,
    file: source.file,
    line: source.line,
    column: source.column ?? 1,
    ...(isTypo ? {} : { hint }),
  }
}
