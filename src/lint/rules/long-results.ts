import type { LintContext, LintProfile } from "../context.ts"
import type { LintFinding } from "../problem.ts"
import { lintRule } from "../rule.ts"

/** Longer than this a result fills the prompt of every later step. */
const maxCharacters = 2_000

/** Tool results that run long in the given traces (T37). */
export const longResults = lintRule(
  "long-results",
  `A tool whose median result in the given traces is longer than ${maxCharacters} characters.`,
  ({ profiles, traces }) => profiles.filter(({ linted }) => linted).flatMap((profile) => inProfile(profile, traces)),
)

function inProfile({ file, profile }: LintProfile, traces: LintContext["traces"]): LintFinding[] {
  if (profile === undefined) return []
  const runs = traces.flatMap(({ prestart, runs: planned }) => [...prestart, ...planned]).filter(({ status }) => status === "ok")
  return [...Map.groupBy(runs, ({ tool }) => tool)].flatMap(([tool, results]) => {
    const lengths = results.map(({ result, cappedFromCharacters }) => cappedFromCharacters ?? result.length)
    const median = lengths.toSorted((a, b) => a - b)[lengths.length >> 1] ?? 0
    if (median <= maxCharacters) return []
    return [
      {
        severity: "warning",
        message: `tool ${tool}: expected results of at most ${maxCharacters} characters, found a median of ${median} over ${lengths.length} runs.`,
        file,
        line: 1,
        column: 1,
        hint: "Let the tool return what answers the question, not all it knows; or set [tools] max_result_characters.",
      },
    ]
  })
}
