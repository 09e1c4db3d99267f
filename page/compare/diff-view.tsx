import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { Range } from "../../src/apps/server/inspector/compare/align.ts"
import type { RequestComparison } from "../../src/apps/server/inspector/compare/compare-turns.ts"
import { colourOf, segmentsOf } from "../layout.ts"
import { rowPixels, watchSize } from "../text-view.tsx"
import type { Words } from "../words.ts"
import { layOutSides, type SideLayout, type SideRow, type TextRow } from "./side-rows.ts"

interface DiffProps {
  readonly compared: RequestComparison
  readonly words: Words
}

/** A narrower page shows the right side below the left one. */
const leastColumns = 80

/** Two requests line by line, each part in the colour of its layer. Only the lines on the screen are in the document. */
export function DiffView({ compared, words }: DiffProps) {
  const box = useRef<HTMLElement>(null)
  const [size, setSize] = useState({ columns: 160, height: 600 })
  const [top, setTop] = useState(0)
  const [at, setAt] = useState(-1)
  const [isFolded, setFolded] = useState(true)
  const isNarrow = size.columns < leastColumns
  const columns = isNarrow ? size.columns - 3 : Math.floor(size.columns / 2) - 5
  const layout = useMemo(() => layOutSides(compared, { columns, isNarrow, isFolded }), [compared, columns, isNarrow, isFolded])
  useLayoutEffect(() => watchSize(box.current, setSize), [])
  const count = layout.differences.length
  const go = (step: number): void => {
    if (count === 0) return
    const next = (Math.max(at, step < 0 ? 0 : -1) + step + count) % count
    setAt(next)
    box.current?.scrollTo(0, ((layout.differences[next] ?? 0) - 2) * rowPixels)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey) return
    if (event.key === "n") go(1)
    if (event.key === "p") go(-1)
  }
  const first = Math.max(0, Math.floor(top / rowPixels) - 10)
  const last = Math.min(layout.rows.length, Math.ceil((top + size.height) / rowPixels) + 10)
  return (
    <div class="diff">
      <div class="diff-tools">
        <label>
          <input type="checkbox" checked={isFolded} onChange={(event) => setFolded(event.currentTarget.checked)} />{" "}
          {words.onlyDifferences}
        </label>
        <button type="button" disabled={count === 0} onClick={() => go(-1)}>
          {words.lastDifference}
        </button>
        <button type="button" disabled={count === 0} onClick={() => go(1)}>
          {words.nextDifference}
        </button>
        <span role="status">
          {count === 0 ? words.equalRequests : at < 0 ? words.differences(count) : words.differenceAt(at + 1, count)}
        </span>{" "}
        <small>{words.jump}</small>
      </div>
      <section
        class="text-box"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with keys
        tabIndex={0}
        aria-label={words.sideBySide}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={onKey}
      >
        <div class="text-all" style={{ height: `${layout.rows.length * rowPixels}px` }}>
          <div class="text-rows" style={{ transform: `translateY(${first * rowPixels}px)` }}>
            {layout.rows.slice(first, last).map((row, index) => (
              <RowView key={first + index} {...{ row, layout, compared, words, isNarrow }} />
            ))}
          </div>
        </div>
      </section>
    </div>
  )
}

interface RowProps extends DiffProps {
  readonly row: SideRow
  readonly layout: SideLayout
  readonly isNarrow: boolean
}

function RowView({ row, layout, compared, words, isNarrow }: RowProps) {
  const { a, b } = compared.messages[row.pair] ?? {}
  if (row.kind === "head") {
    const roles = [compared.a[a ?? -1]?.role, compared.b[b ?? -1]?.role]
    return (
      <div class="row head sides">
        {isNarrow ? <span>{roles[0] ?? roles[1]}</span> : roles.map((role, side) => <span key={side}>{role ?? "—"}</span>)}
      </div>
    )
  }
  if (row.kind === "fold") return <div class="row fold">{words.sameLines(row.lines.toLocaleString())}</div>
  const left = <Cell side="a" message={a} {...{ row, layout, compared }} />
  const right = <Cell side="b" message={b} {...{ row, layout, compared }} />
  if (isNarrow) return <div class="row sides">{row.a ? left : right}</div>
  return (
    <div class="row sides">
      {left}
      {right}
    </div>
  )
}

interface CellProps extends Pick<RowProps, "layout" | "compared"> {
  readonly row: TextRow
  readonly side: "a" | "b"
  readonly message: number | undefined
}

/** One side of a line. A sign says too what its colour says. */
function Cell({ row, side, message = -1, layout, compared }: CellProps) {
  const [range, text] = [row[side], layout[side][message]]
  if (!range || !text) return <span class="cell empty" />
  const isDifferent = row.kind === "different"
  const sign = isDifferent ? (side === "a" ? "− " : "+ ") : "  "
  const spans = compared[side][message]?.spans ?? []
  const changed = row.changed?.[side]
  return (
    <span class={`cell ${isDifferent ? (side === "a" ? "removed" : "added") : ""}`}>
      {sign}
      {cutAt(range, changed).map(([from, to]) => {
        const isChanged = changed && from >= changed[0] && to <= changed[1]
        return segmentsOf(text, from, to).map(({ span, text: own }) => (
          <span
            key={`${from} ${span}`}
            class={`c${colourOf(spans[span]?.key ?? "")} ${isChanged ? "changed" : ""}`}
            title={spans[span]?.key}
          >
            {own.endsWith("\n") ? own.slice(0, -1) : own}
          </span>
        ))
      })}
    </span>
  )
}

/** A range in pieces that are inside another one or outside it. */
function cutAt([from, to]: Range, inner: Range | undefined): Range[] {
  if (!inner) return [[from, to]]
  const cuts = [from, ...inner.map((at) => Math.min(Math.max(at, from), to)), to]
  return cuts.slice(1).flatMap((end, at): Range[] => (end > (cuts[at] ?? 0) ? [[cuts[at] ?? 0, end]] : []))
}
