import { firstStabilityDays, retrievability } from "../../src/core/retrievability.ts"
import type { StoredMemory } from "../../src/memory/services/store/records.ts"
import { useStored } from "../stored.ts"
import type { TabProps } from "../tab.ts"
import type { Words } from "../words.ts"

const dayMs = 86_400_000
const [width, height] = [600, 120]

/** The days after now that a curve shows. */
const ahead = 30

/** The most memories that have a curve; the newest ones. */
const maxCurves = 50

/** How well each memory is remembered, from when it last came up until a month from now. */
export function Forgetting({ record, words }: TabProps) {
  const { facts, problem } = useStored(record.id, record)
  if (problem) return <p role="alert">{problem}</p>
  if (!facts) return null
  if (facts.memories.length === 0) return <p class="quiet">{words.nothingStored}</p>
  const recalled = new Set(record.recalled.map(({ id }) => id))
  const memories = facts.memories.slice(-maxCurves).reverse()
  return (
    <div class="curves">
      <p class="quiet">{words.curves}</p>
      {memories.map((memory) => (
        <Curve key={memory.id} memory={memory} nowMs={facts.nowMs} isRecalled={recalled.has(memory.id)} words={words} />
      ))}
    </div>
  )
}

interface CurveProps {
  readonly memory: StoredMemory
  readonly nowMs: number
  readonly isRecalled: boolean
  readonly words: Words
}

function Curve({ memory, nowMs, isRecalled, words }: CurveProps) {
  const { text, speaker, stability = firstStabilityDays, atMs, usedAtMs, importance } = memory
  const last = Math.max(atMs, usedAtMs ?? atMs)
  const passed = Math.max(0, (nowMs - last) / dayMs)
  const days = passed + ahead
  const shareAt = (day: number): number => retrievability({ stability, days: day })
  const points = Array.from({ length: 61 }, (_, at) => {
    const day = (days * at) / 60
    return `${((width * day) / days).toFixed(1)},${(height * (1 - shareAt(day))).toFixed(1)}`
  })
  const percent = `${Math.round(100 * shareAt(passed))} %`
  const now = (width * passed) / days
  const facts = [
    words.rememberedNow(percent),
    words.stabilityDays(stability.toFixed(1)),
    new Date(last).toLocaleDateString(),
    ...(importance === undefined ? [] : [words.importance(String(importance))]),
    ...(isRecalled ? [words.recalledHere] : []),
  ]
  return (
    <figure>
      <figcaption>
        <strong>{speaker.name}</strong> {text.slice(0, 300)} <small>{facts.join(" · ")}</small>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={words.rememberedNow(percent)}>
        <line x1={now} x2={now} y1={0} y2={height} class="now" />
        <polyline points={points.join(" ")} />
      </svg>
    </figure>
  )
}
