import type { LintProblem, TextEdit } from "./problem.ts"

/** A file's text with the fixes of its problems applied; of edits that overlap the first wins, the others stay problems. */
export function applyFixes(text: string, problems: readonly Pick<LintProblem, "fix">[]): string {
  const edits = problems.flatMap(({ fix = [] }) => fix).toSorted((a, b) => a.start - b.start || a.end - b.end)
  const parts: string[] = []
  let at = 0
  for (const { start, end, text: replacement } of edits.filter(isWithin(text))) {
    if (start < at) continue
    parts.push(text.slice(at, start), replacement)
    at = end
  }
  return parts.join("") + text.slice(at)
}

function isWithin({ length }: string): (edit: TextEdit) => boolean {
  return ({ start, end }) => start >= 0 && start <= end && end <= length
}
