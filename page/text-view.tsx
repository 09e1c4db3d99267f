import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { RecordedRequest, RecordedSpan } from "../src/apps/server/inspector/turn-record.ts"
import type { Info } from "./data.ts"
import { colourOf, type Layout, layOut, type Row, rowOfSpan, segmentsOf } from "./layout.ts"
import { SpanInfo } from "./span-info.tsx"
import type { Words } from "./words.ts"

/** The height of a line. */
export const rowPixels = 20

/** A place in a request. */
interface Place {
  readonly message: number
  readonly span: number
}

/** The part of a request that {@link TextView} shows. */
type Shown = Pick<RecordedRequest, "messages" | "prefixes" | "change">

interface TextProps {
  readonly request: Shown
  readonly words: Words
  /** Undefined if there is nobody to ask for tokens. */
  readonly info?: Info | undefined
  /** Opens the file of a part; undefined if that cannot be done. */
  readonly onEdit?: ((file: string, line: number | undefined) => void) | undefined
  /** Default: the text of the request. */
  readonly label?: string
  /** Without colours. */
  readonly plain?: boolean
}

/** The text of a request, each span in the colour of its layer. Only the lines on the screen are in the document. */
export function TextView({ request, words, info, onEdit, label, plain = false }: TextProps) {
  const box = useRef<HTMLElement>(null)
  const [size, setSize] = useState({ columns: 80, height: 600 })
  const [top, setTop] = useState(0)
  const [place, setPlace] = useState<Place>()
  const layout = useMemo(() => layOut(request, size.columns), [request, size.columns])
  useLayoutEffect(() => watchSize(box.current, setSize), [])
  const first = Math.max(0, Math.floor(top / rowPixels) - 10)
  const last = Math.min(layout.rows.length, Math.ceil((top + size.height) / rowPixels) + 10)
  const choose = (next: Place): void => {
    setPlace(next)
    const row = rowOfSpan(layout, next.message, next.span)
    const y = row * rowPixels
    if (box.current && (y < top || y > top + size.height - 2 * rowPixels)) box.current.scrollTo(0, y - size.height / 3)
  }
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === "n" ? 1 : event.key === "p" ? -1 : 0
    if (step === 0 || event.ctrlKey || event.metaKey) return
    const next = neighbour(request, place, step)
    if (next) choose(next)
  }
  const span = place && request.messages[place.message]?.spans[place.span]
  return (
    <div class="text-view">
      <section
        class="text-box"
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with keys
        tabIndex={0}
        aria-label={label ?? words.requestText}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={onKey}
        onPointerOver={(event) => {
          const found = placeOf(event.target)
          if (found) setPlace(found)
        }}
      >
        <div class="text-all" style={{ height: `${layout.rows.length * rowPixels}px` }}>
          <div class="text-rows" style={{ transform: `translateY(${first * rowPixels}px)` }}>
            {layout.rows.slice(first, last).map((row, at) => (
              <RowView key={first + at} {...{ row, layout, request, words, place, plain }} />
            ))}
          </div>
        </div>
      </section>
      {!plain && <SpanInfo span={span} info={info} onEdit={onEdit} words={words} />}
    </div>
  )
}

/** Tells the columns and the height of an element, now and whenever they change. */
export function watchSize(
  element: HTMLElement | null,
  set: (size: { readonly columns: number; readonly height: number }) => void,
): (() => void) | undefined {
  if (!element) return undefined
  const probe = document.createElement("span")
  probe.textContent = "m".repeat(100)
  probe.className = "probe"
  element.append(probe)
  const width = probe.getBoundingClientRect().width / 100 || 8
  probe.remove()
  const measure = (): void =>
    set({ columns: Math.max(20, Math.floor((element.clientWidth - 24) / width)), height: element.clientHeight })
  measure()
  const observer = new ResizeObserver(measure)
  observer.observe(element)
  return () => observer.disconnect()
}

interface RowProps {
  readonly row: Row
  readonly layout: Layout
  readonly request: Shown
  readonly words: Words
  readonly place: Place | undefined
  readonly plain: boolean
}

function RowView({ row, layout, request, words, place, plain }: RowProps) {
  if (row.kind === "head") return <div class="row head">{request.messages[row.message]?.role}</div>
  if (row.kind === "mark") return <div class="row mark">{words.prefixEnds(row.names, row.tokens.toLocaleString())}</div>
  if (row.kind === "change") {
    const { outcome, cause, lostTokens, lostCost } = row.change
    const price = lostCost ? ` · ${lostCost.toPrecision(2)}` : ""
    const who = cause ? `${cause.key || words.frame} (${cause.stability})` : "—"
    const isNew = outcome === "extended"
    return (
      <div class={`row change ${isNew ? "added" : ""}`}>
        {isNew ? words.extended : words.changed(who, lostTokens.toLocaleString()) + price}
      </div>
    )
  }
  const message = layout.messages[row.message]
  const spans = request.messages[row.message]?.spans ?? []
  const changed = request.change?.message === row.message ? request.change.span : -1
  return (
    <div class="row">
      {message &&
        segmentsOf(message, row.start, row.end).map(({ span, text }) => (
          <span
            key={span}
            class={
              plain
                ? ""
                : classOf(spans[span], {
                    isChosen: place?.message === row.message && place.span === span,
                    isChanged: span === changed,
                  })
            }
            data-message={row.message}
            data-span={span}
          >
            {text.endsWith("\n") ? text.slice(0, -1) : text}
          </span>
        ))}
    </div>
  )
}

function classOf(
  span: RecordedSpan | undefined,
  { isChosen, isChanged }: { readonly isChosen: boolean; readonly isChanged: boolean },
): string {
  const parts = [
    `c${colourOf(span?.key ?? "")}`,
    span?.part === "notice" ? "notice" : "",
    isChosen ? "chosen" : "",
    isChanged ? "changed" : "",
  ]
  return parts.filter(Boolean).join(" ")
}

function placeOf(target: EventTarget | null): Place | undefined {
  const { message, span } = target instanceof HTMLElement ? target.dataset : {}
  return message === undefined || span === undefined ? undefined : { message: Number(message), span: Number(span) }
}

function neighbour({ messages }: Shown, place: Place | undefined, step: number): Place | undefined {
  let { message, span } = place ?? { message: 0, span: -1 }
  span += step
  while (messages[message] && !messages[message]?.spans[span]) {
    message += step
    span = step > 0 ? 0 : (messages[message]?.spans.length ?? 0) - 1
  }
  return messages[message] ? { message, span } : undefined
}
