import { realpathSync, statSync } from "node:fs"
import writeFileAtomic from "write-file-atomic"
import type { LintContext } from "../../lint/context.ts"
import type { LintProblem } from "../../lint/problem.ts"
import { applyFixes } from "../../lint/problem.ts"
import { readTextFile } from "../read-text-file.ts"

/**
 * Writes the fixes of problems into their files, each whole or not at all; hands back how many files changed. The library's
 * own files and any file that changed since it was read are left alone.
 */
export async function writeFixes({ files }: LintContext, problems: readonly LintProblem[]): Promise<number> {
  const byFile = Map.groupBy(problems, ({ file }) => file)
  let changed = 0
  for (const { file, path, text, shipped } of files) {
    if (shipped) continue
    const fixed = applyFixes(text, byFile.get(file) ?? [])
    if (fixed === text || readTextFile(path) !== text) continue
    // A linked file is changed where it really is; it keeps its mode.
    const target = realpathSync(path)
    await writeFileAtomic(target, fixed, { mode: statSync(target).mode })
    changed++
  }
  return changed
}
