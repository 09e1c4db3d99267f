/** A point of a curve: a value after so many turns, measured in the `life`-th process that the run took. */
export interface Point {
  readonly life: number
  readonly turns: number
  readonly value: number
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/**
 * How much the value grows over the second half of the curve, by the median of the slopes between any two points of one process
 * (Theil and Sen): points that lie far out do not change it. The first half is the warm-up.
 */
export function growth(points: readonly Point[]): number {
  const late = points.slice(Math.floor(points.length / 2))
  const slopes = late.flatMap((from, at) =>
    late.slice(at + 1).flatMap((to) => (to.life === from.life ? [(to.value - from.value) / (to.turns - from.turns)] : [])),
  )
  const length = (late.at(-1)?.turns ?? 0) - (late[0]?.turns ?? 0)
  return slopes.length === 0 ? 0 : median(slopes) * length
}

/** A curve in ASCII, the newest point at the right, with its highest and lowest value at the side. */
export function picture(title: string, points: readonly Point[], { width = 60, height = 6 } = {}): string {
  const count = Math.min(width, points.length)
  const edge = (at: number) => Math.floor((at * points.length) / count)
  const columns = Array.from({ length: count }, (_, at) => median(points.slice(edge(at), edge(at + 1)).map(({ value }) => value)))
  const [low, high] = [Math.min(...columns), Math.max(...columns)]
  const rowOf = (value: number) => (high === low ? 0 : Math.round(((value - low) / (high - low)) * (height - 1)))
  const rows = Array.from({ length: height }, (_, at) =>
    columns.map((value) => (rowOf(value) === height - 1 - at ? "*" : " ")).join(""),
  )
  const number = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 1 }).padStart(12)
  const side = (at: number) => (at === 0 ? number(high) : at === height - 1 ? number(low) : " ".repeat(12))
  return [title, ...rows.map((row, at) => `${side(at)} |${row}`.trimEnd())].join("\n")
}
