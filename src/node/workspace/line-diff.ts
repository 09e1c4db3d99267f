const contextLines = 3
const maxDiffUnits = 16_384

/**
 * What changed between two texts as one hunk of a unified diff: the lines they begin and end with in common are left out but for
 * three. Linear, and cut after 16,384 characters with a last line that says so. Equal texts give nothing.
 */
export function lineDiff(before: string, after: string): string {
  if (before === after) return ""
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const head = countAlike(old, fresh, Math.min(old.length, fresh.length), (at) => at)
  const tail = countAlike(old, fresh, Math.min(old.length, fresh.length) - head, (at) => -1 - at)
  const from = Math.max(0, head - contextLines)
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + contextLines).map((line) => ` ${line}`),
  ]
  const count = (of: readonly string[]) => of.length - tail - from + Math.min(tail, contextLines)
  return [`@@ -${range(from, count(old))} +${range(from, count(fresh))} @@`, ...cut(lines)].join("\n")
}

/** The end of a text without a line break is marked, as patch programs do. */
function linesOf(text: string): readonly string[] {
  if (text === "") return []
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`]
}

function countAlike(one: readonly string[], other: readonly string[], most: number, at: (index: number) => number): number {
  let count = 0
  while (count < most && one.at(at(count)) === other.at(at(count))) count++
  return count
}

function range(from: number, count: number): string {
  return `${count === 0 ? from : from + 1},${count}`
}

function cut(lines: readonly string[]): readonly string[] {
  let [end, units] = [0, 0]
  for (const line of lines) {
    units += line.length + 1
    if (units > maxDiffUnits) return [...lines.slice(0, end), `… ${lines.length - end} more lines`]
    end += 1
  }
  return lines
}
