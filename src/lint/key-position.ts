import type { Position } from "../core/source.ts"
import type { LintFile } from "./context.ts"
import { textLines } from "./text-lines.ts"

/** Where a top-level key of a file's front matter stands; the file's first line where it has none of that name. */
export function keyPosition({ text, source }: LintFile, key: string): Position {
  const end = source?.firstLine ?? 1
  for (const { text: words, line } of textLines(text)) {
    if (line >= end) break
    const bare = words.replace(/^["']/, "")
    if (bare.startsWith(key) && /^["']?[ \t]*:/.test(bare.slice(key.length, key.length + 20)))
      return { line, column: words.length - bare.length + 1 }
  }
  return { line: 1, column: 1 }
}
