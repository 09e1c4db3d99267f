import type { Range } from "../../src/apps/server/inspector/compare/align.ts"
import type { ComparedRun } from "../../src/apps/server/inspector/compare/compare-texts.ts"
import type { RequestComparison } from "../../src/apps/server/inspector/compare/compare-turns.ts"
import { breakLines, type LaidMessage } from "../layout.ts"

/** One line of two requests on the screen. All have the same height. */
export type SideRow =
  | { readonly kind: "head"; readonly pair: number }
  /** Equal lines that are not shown. */
  | { readonly kind: "fold"; readonly pair: number; readonly lines: number }
  | TextRow

/** A line of text of both sides, or of one. */
export interface TextRow {
  readonly kind: "same" | "different"
  /** The index of the pair of messages. */
  readonly pair: number
  readonly a?: Range | undefined
  readonly b?: Range | undefined
  /** The part of each side that changed, where a line became another one. */
  readonly changed?: { readonly a: Range; readonly b: Range } | undefined
}

/** Two requests as lines. */
export interface SideLayout {
  readonly rows: readonly SideRow[]
  readonly a: readonly LaidMessage[]
  readonly b: readonly LaidMessage[]
  /** The first line of each difference. */
  readonly differences: readonly number[]
}

interface LayOptions {
  /** The columns of each side. */
  readonly columns: number
  /** True shows the right side below the left one, where there is no room beside it. */
  readonly isNarrow: boolean
  /** True leaves out equal lines that are far from a difference. */
  readonly isFolded: boolean
}

/** Equal lines that are shown on each side of a difference. */
const context = 3

/** Breaks two requests into lines that stand beside each other. */
export function layOutSides(compared: RequestComparison, { columns, isNarrow, isFolded }: LayOptions): SideLayout {
  const [a, b] = [laid(compared.a), laid(compared.b)]
  const rows: SideRow[] = []
  const differences: number[] = []
  for (const [pair, { a: own, b: other, runs }] of compared.messages.entries()) {
    const [textA, textB] = [a[own ?? -1]?.text ?? "", b[other ?? -1]?.text ?? ""]
    const broken = (text: string, [from, to]: Range): Range[] => {
      const lines: Range[] = []
      breakLines(text, { from, to, columns }, (start, end) => lines.push([start, end]))
      return lines
    }
    rows.push({ kind: "head", pair })
    for (let at = 0; at < runs.length; at++) {
      const run = runs[at] as ComparedRun
      if (run.kind === "same") {
        const moved = run.b[0] - run.a[0]
        const lines = broken(textA, run.a).map(
          ([start, end]): TextRow => ({
            ...{ kind: "same", pair, a: [start, end], b: [start + moved, end + moved] },
          }),
        )
        pushFolded(rows, lines, { pair, isFirst: at === 0, isLast: at === runs.length - 1, isFolded })
        continue
      }
      if (runs[at - 1]?.kind === "same" || at === 0) differences.push(rows.length)
      const next = runs[at + 1]
      const replaces = run.kind === "removed" && next?.kind === "added" ? next : undefined
      if (replaces) at++
      const changed = run.kind === "changed" ? changedParts(textA, textB, run) : undefined
      const [left, right] = [broken(textA, run.a), broken(textB, (replaces ?? run).b)]
      if (isNarrow) {
        for (const line of left) rows.push({ kind: "different", pair, a: line, changed })
        for (const line of right) rows.push({ kind: "different", pair, b: line, changed })
      } else
        for (let line = 0; line < Math.max(left.length, right.length); line++)
          rows.push({ kind: "different", pair, a: left[line], b: right[line], changed })
    }
  }
  return { rows, a, b, differences }
}

function laid(messages: RequestComparison["a"]): LaidMessage[] {
  return messages.map(({ spans }) => {
    const starts: number[] = []
    let text = ""
    for (const span of spans) {
      starts.push(text.length)
      text += span.text
    }
    return { text, starts }
  })
}

interface Folding {
  readonly pair: number
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly isFolded: boolean
}

/** Adds equal lines; in their middle, those that are far from a difference as one line. */
function pushFolded(rows: SideRow[], lines: readonly TextRow[], { pair, isFirst, isLast, isFolded }: Folding): void {
  const [head, tail] = [isFirst ? 0 : context, isLast ? 0 : context]
  const left = lines.length - head - tail
  if (!isFolded || left < 2) rows.push(...lines)
  else rows.push(...lines.slice(0, head), { kind: "fold", pair, lines: left }, ...lines.slice(lines.length - tail))
}

/** The middles of two lines, without what they begin and end with both. */
function changedParts(a: string, b: string, { a: [fromA, toA], b: [fromB, toB] }: ComparedRun): TextRow["changed"] {
  const most = Math.min(toA - fromA, toB - fromB)
  let head = 0
  while (head < most && a.charCodeAt(fromA + head) === b.charCodeAt(fromB + head)) head++
  if (head > 0 && isHigh(a.charCodeAt(fromA + head - 1))) head--
  let tail = 0
  while (tail < most - head && a.charCodeAt(toA - 1 - tail) === b.charCodeAt(toB - 1 - tail)) tail++
  if (tail > 0 && isLow(a.charCodeAt(toA - tail))) tail--
  return { a: [fromA + head, toA - tail], b: [fromB + head, toB - tail] }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}
