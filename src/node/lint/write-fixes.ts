import { applyFixes, type LintContext, type LintProblem } from "../../lint/rule.ts"
import { updateFile } from "../workspace/update-file.ts"

/**
 * Writes the fixes of problems into their files and resolves to how many files changed. Each file is written whole or not at
 * all. The library's own files, and files that changed since they were read, stay as they are.
 */
export async function writeFixes({ files }: LintContext, problems: readonly LintProblem[]): Promise<number> {
  const byFile = Map.groupBy(problems, ({ file }) => file)
  let changed = 0
  for (const { file, path, text, shipped } of files) {
    if (shipped) continue
    const fixed = applyFixes(text, byFile.get(file) ?? [])
    if (fixed === text) continue
    // A link stays a link: the file it leads to is written, and keeps its mode.
    await updateFile(path, (current) => {
      if (current !== text) return undefined
      changed++
      return fixed
    })
  }
  return changed
}
