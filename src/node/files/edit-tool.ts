import type { Tool } from "../../prompt/tools/tool.ts"
import { giveShape, takeShape } from "../workspace/text-encoding.ts"
import { defineFileTool } from "./define-file-tool.ts"
import { type FileToolParts, shownPath } from "./file-tool.ts"
import type { TextRange } from "./read-ledger.ts"
import { findWritable, questionOf, writeConfirmed } from "./write-tool.ts"

/**
 * The tool `edit`: replaces an exact text that occurs once, in a part of a file that was read in this turn and has not changed
 * since (D10), or for whose change a person has said yes, maybe to another process (N43). In a file whose lines all end in CRLF, LF
 * in the arguments means CRLF. The new text is literal, `$&` too.
 */
export function editTool(parts: FileToolParts): Tool {
  const { words, reads } = parts
  return defineFileTool(parts, {
    writes: true,
    parameters: { path: "path", old_text: "text", new_text: "text" },
    async run({ path: given, old_text: before, new_text: after }, context) {
      const target = await findWritable(parts, given, context)
      const { path, current } = target
      if (current === undefined) throw words.problem({ path: shownPath(path), missing: true })
      const file = { path, hash: current.hash }
      const requireShown = (part: TextRange) => {
        const found = reads.shown(context, file, part)
        const isEnough = found === "shown" || (found === "partly" && part === nowhere)
        if (!isEnough) throw words.problem({ path: shownPath(path), [`${found}_first`]: true })
      }
      if (!context.wasAllowed) requireShown(nowhere)
      const { plain, shape } = takeShape(current.text)
      const asInFile = (text: string) => (shape.lineEnd === "mixed" ? text : text.replaceAll("\r\n", "\n"))
      const { old, fresh, isUnmarked } = unmarked({ plain, old: asInFile(before), fresh: asInFile(after) })
      const range = placeOf(parts, path, { plain, old, fresh })
      const edited = giveShape(plain.slice(0, range.start) + fresh + plain.slice(range.end), shape)
      if (!context.wasAllowed?.(questionOf(parts, target, edited))) requireShown(range)
      const hash = await writeConfirmed(parts, target, { after: edited, context })
      reads.edited(context, { path, hash }, { range, insertedUnits: fresh.length })
      return words.say({ path: shownPath(path), edited: true, unmarked: isUnmarked })
    },
  })
}

/**
 * Prompts show a line that reads as one of their own behind a `\` (T28). If the old text is in the file only without these, they are
 * no part of it, and the same lines of the new text lose theirs (D15).
 */
function unmarked(given: { readonly plain: string; readonly old: string; readonly fresh: string }) {
  const { plain, old } = given
  const bare = old.replace(/^\\/gm, "")
  const isThere = bare !== "" && `\n${plain}`.includes(`${old.startsWith("\\") ? "\n" : ""}${bare}`)
  if (old === bare || plain.includes(old) || !isThere) return { ...given, isUnmarked: false }
  const marked = new Set(old.split("\n").filter((line) => line.startsWith("\\")))
  const fresh = given.fresh.split("\n").map((line) => (marked.has(line) ? line.slice(1) : line))
  return { old: bare, fresh: fresh.join("\n"), isUnmarked: true }
}

/** The one place of the old text. In every other case, throws an error that helps to find it. */
function placeOf({ words }: FileToolParts, path: string, { plain, old, fresh }: { plain: string; old: string; fresh: string }) {
  const refuse = (values: Parameters<typeof words.refuse>[0]) => words.refuse({ path: shownPath(path), ...values })
  if (old === "") throw refuse({ blank: true })
  if (old === fresh) throw refuse({ unchanged: true })
  const { count, at, lines } = occurrencesOf(old, plain)
  if (count === 1) return { start: at, end: at + old.length }
  if (count > 1) throw refuse({ several: count, lines: lines.join(", ") })
  const near = nearestLine(plain, old)
  throw refuse({ none: true, near: near?.line, near_text: near?.text })
}

/** An empty range: shown, at least in part, as soon as anything of the file was shown. */
const nowhere: TextRange = { start: 0, end: 0 }

const maxLinesTold = 20

/**
 * How often a text that is not empty occurs in another, the offset of the first place, and the lines of the first places if there
 * are several. Runs in linear time. Places that overlap are several, but only separate places are counted beyond two.
 */
function occurrencesOf(wanted: string, text: string): { count: number; at: number; lines: readonly number[] } {
  const first = text.indexOf(wanted)
  if (first < 0 || text.indexOf(wanted, first + 1) < 0) return { count: first < 0 ? 0 : 1, at: first, lines: [] }
  const lines: number[] = []
  let count = 0
  let line = 1
  let counted = 0
  for (let at = first; at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    count++
    if (lines.length === maxLinesTold) continue
    line += text.slice(counted, at).split("\n").length - 1
    counted = at
    if (lines.at(-1) !== line) lines.push(line)
  }
  return { count: Math.max(2, count), at: first, lines }
}

/** Longer lines are compared and shown up to this length. */
const maxLineUnits = 300

/** A line that shares less is not similar. */
const minSimilarity = 0.5

/**
 * The line, counted from 1, with the part most similar to the first line of `wanted` that is not blank. Similarity is the share
 * of common pairs of neighbouring characters, without case and white space. `undefined` when no line shares half of them. Runs
 * in linear time.
 */
export function nearestLine(text: string, wanted: string): { readonly line: number; readonly text: string } | undefined {
  const sought = wanted.split("\n").find((line) => line.trim() !== "")
  if (sought === undefined) return undefined
  const pairs = pairsOf(sought)
  let best: ReturnType<typeof nearestLine>
  let similarity = minSimilarity
  for (const [index, line] of text.split("\n").entries()) {
    const found = similarityOf(pairs, pairsOf(line))
    if (found < similarity || (found === similarity && best)) continue
    similarity = found
    best = { line: index + 1, text: line.slice(0, maxLineUnits) }
  }
  return best
}

/** The pairs of neighbouring characters of a line. A single character counts as a pair. */
function pairsOf(line: string): readonly string[] {
  const plain = line.slice(0, maxLineUnits).toLowerCase().replace(/\s+/g, "")
  return plain.length < 2 ? [plain] : Array.from({ length: plain.length - 1 }, (_, at) => plain.slice(at, at + 2))
}

/**
 * Twice the common pairs divided by all pairs, for the part of `line` that is as long as `sought` and shares most. It is 1 when
 * `line` holds `sought`.
 */
function similarityOf(sought: readonly string[], line: readonly string[]): number {
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
