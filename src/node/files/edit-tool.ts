import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { giveShape, takeShape } from "../workspace/text-encoding.ts"
import { findTarget, makeChange } from "./confirmed-write.ts"
import { fileArguments } from "./file-arguments.ts"
import { type FileToolParts, shownPath, withFileProblems } from "./file-tool.ts"
import type { ShownFile, TextRange } from "./read-ledger.ts"
import { lineAt } from "./read-tool.ts"

/**
 * The tool `edit`: replaces an exact text that occurs once, in a file whose place was read in this turn and which has not
 * changed since (D10). Where all lines end in CRLF, LF in the arguments means that; the new text is literal, `$&` too.
 */
export function editTool(parts: FileToolParts): Tool {
  const { words, reads } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    group: "development",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    writes: true,
    // Refused until the file is read, the same call is right afterwards.
    repeatable: true,
    inputSchema: fileArguments({
      path: { kind: "path", description: parameters.path },
      old_text: { kind: "text", description: parameters.old_text },
      new_text: { kind: "text", description: parameters.new_text },
    }),
    execute: ({ path, old_text: before, new_text: after }, context) =>
      withFileProblems(words, path, async () => {
        const target = await findTarget(parts, path, context)
        const { current } = target
        const shown = shownPath(target.path)
        if (current === undefined) throw words.problem({ path: shown, missing: true })
        const file = { path: target.path, hash: current.hash }
        requireRead(parts, { file, shown, range: nowhere }, context)
        const { plain, shape } = takeShape(current.text)
        const asThere = (text: string) => (shape.lineEnd === "mixed" ? text : text.replaceAll("\r\n", "\n"))
        const fresh = asThere(after)
        const range = placeOf(parts, { plain, shown, old: asThere(before), fresh })
        requireRead(parts, { file, shown, range }, context)
        const edited = plain.slice(0, range.start) + fresh + plain.slice(range.end)
        const hash = await makeChange(parts, target, { after: giveShape(edited, shape), context })
        reads.edited(context, { path: target.path, hash }, { range, insertedUnits: fresh.length })
        return words.say({ path: shown, edited: true })
      }),
  })
}

/** The one place of the old text; every other case is an error that helps. */
function placeOf(
  { words }: FileToolParts,
  { plain, shown, old, fresh }: { readonly plain: string; readonly shown: string; readonly old: string; readonly fresh: string },
): TextRange {
  const told = { path: shown }
  if (old === "") throw words.refuse({ ...told, blank: true })
  if (old === fresh) throw words.refuse({ ...told, unchanged: true })
  const place = findText(plain, old)
  if (place.found === "once") return { start: place.at, end: place.at + old.length }
  if (place.found === "several") throw words.refuse({ ...told, several: place.count, lines: place.lines.join(", ") })
  const near = nearestLine(plain, old)
  throw words.refuse({ ...told, none: true, near: near?.line, near_text: near?.text })
}

/** Of this much something was always shown where anything was. */
const nowhere: TextRange = { start: 0, end: 0 }

function requireRead(
  { reads, words }: FileToolParts,
  { file, shown, range }: { readonly file: ShownFile; readonly shown: string; readonly range: TextRange },
  context: ToolContext,
): void {
  const found = reads.shown(context, file, range)
  if (found === "shown" || (found === "partly" && range === nowhere)) return
  throw words.problem({ path: shown, [`${found}_first`]: true })
}

/** Where a text occurs in another: nowhere, at one place, or at several, with the first places' lines. */
type Occurrence =
  | { readonly found: "none" }
  | { readonly found: "once"; readonly at: number }
  | { readonly found: "several"; readonly count: number; readonly lines: readonly number[] }

const maxLinesTold = 20

/** Looks for an exact text in time linear in both. Overlapping places make it several; the count is of places apart. */
function findText(text: string, wanted: string): Occurrence {
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

/** A line of a text that resembles another. */
interface NearLine {
  /** 1-based. */
  readonly line: number
  readonly text: string
}

/** Longer lines are compared and shown up to here. */
const maxLineUnits = 300

/** Less in common is no resemblance. */
const leastLikeness = 0.5

/**
 * The line of which some stretch resembles the first line of `wanted` that is not blank the most: by the pairs of neighbouring
 * characters they share, case and white space aside. `undefined` where none has half of them. Linear in the text.
 */
export function nearestLine(text: string, wanted: string): NearLine | undefined {
  const sought = wanted.split("\n").find((line) => line.trim() !== "")
  if (sought === undefined) return undefined
  const pairs = pairsOf(sought)
  let best: NearLine | undefined
  let likeness = leastLikeness
  for (const [index, line] of text.split("\n").entries()) {
    const found = likenessOf(pairs, pairsOf(line))
    if (found < likeness || (found === likeness && best)) continue
    likeness = found
    best = { line: index + 1, text: line.slice(0, maxLineUnits) }
  }
  return best
}

/** Neighbouring characters of a line; a single character is a pair of its own. */
function pairsOf(line: string): readonly string[] {
  const plain = line.slice(0, maxLineUnits).toLowerCase().replace(/\s+/g, "")
  return plain.length < 2 ? [plain] : Array.from({ length: plain.length - 1 }, (_, at) => plain.slice(at, at + 2))
}

/** Twice what both share, of what both have, for the stretch of `line` that is as long as `sought` and shares most: 1 if it is there. */
function likenessOf(sought: readonly string[], line: readonly string[]): number {
  const missing = new Map<string, number>()
  for (const pair of sought) missing.set(pair, (missing.get(pair) ?? 0) + 1)
  let [shared, most] = [0, 0]
  for (const [at, pair] of line.entries()) {
    const left = missing.get(pair)
    if (left !== undefined) {
      if (left > 0) shared += 1
      missing.set(pair, left - 1)
    }
    const gone = line[at - sought.length] ?? ""
    const before = missing.get(gone)
    if (before !== undefined) {
      if (before >= 0) shared -= 1
      missing.set(gone, before + 1)
    }
    most = Math.max(most, shared)
  }
  return (2 * most) / (sought.length + Math.min(sought.length, line.length))
}
