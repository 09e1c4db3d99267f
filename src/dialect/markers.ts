import type { Markers } from "../encode/lines.ts"
import type { Template } from "../template/ast.ts"
import { collectLines, type FoundLines } from "./output-lines.ts"

/**
 * Derives what untrusted text must not pass for (T28): every line that a template can print of literal text alone, and
 * the literal beginnings of lines that go on with a value. Branches and placeholders count as they are printed.
 */
export function deriveMarkers(templates: Iterable<Template>): Markers {
  const found: FoundLines = { lines: new Set(), heads: new Set(), fences: false }
  for (const template of templates) collectLines(template.nodes, found)
  return { lines: found.lines, heads: shortest(found.heads), fences: found.fences }
}

/** The heads that no other head is the beginning of. */
function shortest(heads: ReadonlySet<string>): string[] {
  const kept: string[] = []
  for (const head of [...heads].sort()) {
    const last = kept.at(-1)
    if (last === undefined || !head.startsWith(last)) kept.push(head)
  }
  return kept
}
