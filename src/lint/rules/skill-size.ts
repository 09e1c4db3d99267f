import type { LintFile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { roughTokens } from "../rough-tokens.ts"
import { lintRule } from "../rule.ts"

const maxTokens = 5_000
const maxLines = 500

/** Skills whose instructions are longer than the open Agent Skills standard recommends. */
export const skillSize = lintRule(
  "skill-size",
  `A skill whose body is longer than ${maxLines} lines or about ${maxTokens} tokens.`,
  ({ files }) => files.filter(({ kind }) => kind === "skill").flatMap(inSkill),
)

function inSkill({ file, source }: LintFile): LintFinding[] {
  if (source === undefined) return []
  const body = source.body.trim()
  const lines = body.split("\n").length
  const tokens = roughTokens(body)
  const found = [...(lines > maxLines ? [`${lines} lines`] : []), ...(tokens > maxTokens ? [`about ${tokens} tokens`] : [])]
  if (found.length === 0) return []
  return [
    {
      severity: "warning",
      message: `expected at most ${maxLines} lines and ${maxTokens} tokens of instructions, found ${found.join(" and ")}.`,
      file,
      line: source.firstLine,
      column: 1,
      hint: "Keep what is always needed, and move the rest into files beside it that the skill names.",
    },
  ]
}
