import { useState } from "preact/hooks"
import type { Timeline as Found } from "../../src/apps/server/inspector/timeline/timeline-route.ts"
import { useAsked } from "../stored.ts"
import type { TabProps } from "../tab.ts"
import { TableHead } from "../table-head.tsx"
import { extentOf, type Lane, lanesOf, rowsOf } from "../timeline-lanes.ts"
import type { Words } from "../words.ts"

const hourMs = 3_600_000
const ranges = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, all: Number.POSITIVE_INFINITY } as const

/** Lines of the table. */
const maxRows = 300

/** What happened in the turn's conversation along one axis of time, and in words. */
export function Timeline({ record, words, news }: TabProps) {
  const { found, problem } = useAsked<Found>(`turns/${record.id}/timeline`, news)
  const [range, setRange] = useState<keyof typeof ranges>("all")
  if (problem) return <p role="alert">{problem}</p>
  const extent = found && extentOf(found)
  if (!found || !extent) return null
  const [firstMs, toMs] = extent
  const fromMs = Math.max(firstMs, toMs - ranges[range])
  const rows = rowsOf(found, words).filter(({ atMs }) => atMs >= fromMs)
  const left = found.left + Math.max(0, rows.length - maxRows)
  return (
    <div class="timeline">
      <label>
        {words.range}{" "}
        <select value={range} onChange={(event) => setRange(event.currentTarget.value as keyof typeof ranges)}>
          {(["all", "week", "day", "hour"] as const).map((name) => (
            <option key={name} value={name}>
              {words.ranges[name]}
            </option>
          ))}
        </select>
      </label>
      <Lanes lanes={lanesOf(found, toMs, words)} {...{ fromMs, toMs, words }} />
      <table>
        <TableHead names={[words.when, words.area, words.happened, words.details]} />
        <tbody>
          {rows.slice(0, maxRows).map(({ atMs, kind, what, text, isBad }, at) => (
            <tr key={at} class={isBad ? "failed" : ""}>
              <td class="number">
                <time dateTime={new Date(atMs).toISOString()}>{new Date(atMs).toLocaleString()}</time>
              </td>
              <td>{kind}</td>
              <td>{what}</td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p class="quiet">{words.olderEntries(left)}</p>}
    </div>
  )
}

interface LanesProps {
  readonly lanes: readonly Lane[]
  readonly fromMs: number
  readonly toMs: number
  readonly words: Words
}

/** The picture; the table below says the same in words. */
function Lanes({ lanes, fromMs, toMs, words }: LanesProps) {
  const wholeMs = Math.max(1, toMs - fromMs)
  const percent = (ms: number): number => (100 * Math.max(0, Math.min(wholeMs, ms - fromMs))) / wholeMs
  return (
    <div class="lanes" role="img" aria-label={words.lanes(lanes.map(({ name }) => name).join(", "))}>
      {lanes.map(({ name, marks }) => {
        const shown = marks.filter((mark) => mark.toMs >= fromMs)
        return shown.length === 0 ? null : (
          <div class="lane-row" key={name}>
            <span class="lane-name" title={name}>
              {name}
            </span>
            <span class="lane-marks">
              {shown.map(({ fromMs: start, toMs: end, kind, title }, at) => (
                <span
                  key={at}
                  class={`mark-${kind}${end > start ? "" : " point"}`}
                  style={{
                    left: `min(${percent(start)}%, 100% - 3px)`,
                    width: end > start ? `${percent(end) - percent(start)}%` : undefined,
                  }}
                  title={`${new Date(start).toLocaleString()} · ${title}`}
                />
              ))}
            </span>
          </div>
        )
      })}
      <div class="lane-row">
        <span class="lane-name" />
        <span class="axis">
          {[0, 0.25, 0.5, 0.75, 1].map((share) => (
            <small key={share}>{momentText(fromMs + share * wholeMs, wholeMs)}</small>
          ))}
        </span>
      </div>
    </div>
  )
}

function momentText(ms: number, wholeMs: number): string {
  const date = new Date(ms)
  if (wholeMs > 3 * ranges.day) return date.toLocaleDateString()
  return wholeMs > ranges.day ? date.toLocaleString(undefined, { weekday: "short", hour: "numeric" }) : date.toLocaleTimeString()
}
