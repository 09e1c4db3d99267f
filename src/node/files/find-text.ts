import { lineAt } from "./text-page.ts"

/** Where a text occurs in another: nowhere, at one place, or at several, with the first places' lines. */
export type Occurrence =
  | { readonly found: "none" }
  | { readonly found: "once"; readonly at: number }
  | { readonly found: "several"; readonly count: number; readonly lines: readonly number[] }

const maxLinesTold = 20

/** Looks for an exact text in time linear in both. Overlapping places make it several; the count is of places apart. */
export function findText(text: string, wanted: string): Occurrence {
  const first = text.indexOf(wanted)
  if (first < 0 || wanted === "") return { found: "none" }
  if (text.indexOf(wanted, first + 1) < 0) return { found: "once", at: first }
  const lines: number[] = []
  let count = 0
  let line = 1
  let counted = 0
  for (let at = first; at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    count++
    if (lines.length === maxLinesTold) continue
    line += lineAt(text.slice(counted, at), at - counted) - 1
    counted = at
    if (lines.at(-1) !== line) lines.push(line)
  }
  return { found: "several", count: Math.max(2, count), lines }
}
