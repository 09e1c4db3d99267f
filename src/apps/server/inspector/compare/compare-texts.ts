import { sharedUnits } from "../../../../trace/diff-assemblies.ts"
import { align, mirrored, type Pair, type Range } from "./align.ts"

/** A run of whole lines as UTF-16 offsets in two texts. One of `changed` is one line of each text that became the other. */
export interface ComparedRun {
  readonly kind: "same" | "changed" | "removed" | "added"
  readonly a: Range
  readonly b: Range
}

/**
 * Compares two texts line by line. Joined, the runs are both texts. Of the lines between equal ones, those that are alike are taken for
 * one line that changed. `isCoarse` is true if there are so many differences that equal lines between them were not looked for.
 */
export function diffTexts(a: string, b: string) {
  const [linesA, linesB] = [linesOf(a), linesOf(b)]
  const { runs, isWhole } = align(linesA, linesB)
  const [startsA, startsB] = [startsOf(linesA), startsOf(linesB)]
  const found: ComparedRun[] = []
  const add = (kind: ComparedRun["kind"], own: Range, other: Range): void => {
    if (own[0] < own[1] || other[0] < other[1]) found.push({ kind, a: offsets(startsA, own), b: offsets(startsB, other) })
  }
  for (const { isSame, a: own, b: other } of runs) {
    if (isSame) {
      add("same", own, other)
      continue
    }
    let [x, y] = [own[0], other[0]]
    const goTo = (endA: number, endB: number): void => {
      add("removed", [x, endA], [y, y])
      add("added", [endA, endA], [y, endB])
      ;[x, y] = [endA, endB]
    }
    for (const [atA, atB] of mirrored(linesA.slice(...own), linesB.slice(...other), similarPairs) ?? []) {
      goTo(own[0] + atA, other[0] + atB)
      add("changed", [x, x + 1], [y, y + 1])
      ;[x, y] = [x + 1, y + 1]
    }
    goTo(own[1], other[1])
  }
  return { runs: found, isCoarse: !isWhole }
}

/** The lines of a text with their line breaks. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? []
}

/** The offset of each line, and of the end. */
function startsOf(lines: readonly string[]): number[] {
  const starts = [0]
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length)
  return starts
}

function offsets(starts: readonly number[], [from, to]: Range): Range {
  return [starts[from] ?? 0, starts[to] ?? 0]
}

/** The most pairs of lines that are looked at: more lines than that are not one place that somebody changed. */
const maxTried = 10_000

/** Lines are alike if this share of the longer one stands at the beginning and the end of both. */
const leastAlike = 0.4

/** The most units that are compared of two lines. */
const maxCompared = 2_000

/** The lines of two lists, in order, that are alike most. */
function similarPairs(a: readonly string[], b: readonly string[]): readonly Pair[] | undefined {
  if (a.length * b.length > maxTried) return undefined
  const width = b.length + 1
  // By the lines that are left of each list, the most that pairs of them are alike.
  const best = new Float64Array((a.length + 1) * width)
  for (let x = a.length - 1; x >= 0; x--) {
    for (let y = b.length - 1; y >= 0; y--) {
      const at = x * width + y
      const paired = likeness(a[x] ?? "", b[y] ?? "") + (best[at + width + 1] ?? 0)
      best[at] = Math.max(best[at + width] ?? 0, best[at + 1] ?? 0, paired)
    }
  }
  const pairs: Pair[] = []
  let [x, y] = [0, 0]
  for (let at = 0; best[at] !== 0; at = x * width + y) {
    if (best[at] === best[at + width]) x++
    else if (best[at] === best[at + 1]) y++
    else pairs.push([x++, y++])
  }
  return pairs
}

/** The share of the longer line that stands at the beginning and the end of both; 0 if they are not alike. */
function likeness(given: string, other: string): number {
  const [a, b] = [given, other].map((line) => line.trim().slice(0, maxCompared)) as [string, string]
  const shared = sharedUnits(a, b)
  const most = Math.min(a.length, b.length) - shared
  let tail = 0
  while (tail < most && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  const share = (shared + tail) / Math.max(a.length, b.length, 1)
  return share >= leastAlike ? share : 0
}
