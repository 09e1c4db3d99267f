import { commonStart } from "../../core/memo.ts"

const contextLines = 3
const maxDiffUnits = 16_384

/**
 * The difference of two texts as one hunk of a unified diff: the lines that both begin and end with are left out but for three.
 * Runs in linear time. A diff of more than 16,384 characters is cut, and its last line says so. Equal texts give `""`.
 */
export function lineDiff(before: string, after: string): string {
  if (before === after) return ""
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const head = commonStart(old, fresh)
  const tail = commonStart(old.slice(head).reverse(), fresh.slice(head).reverse())
  const from = Math.max(0, head - contextLines)
  const lines = [
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + contextLines).map((line) => ` ${line}`),
  ]
  const range = (text: readonly string[]) => {
    const count = text.length - tail - from + Math.min(tail, contextLines)
    return `${count === 0 ? from : from + 1},${count}`
  }
  return [`@@ -${range(old)} +${range(fresh)} @@`, ...cut(lines)].join("\n")
}

/** A text that does not end in a line break is marked as patch programs mark it. */
function linesOf(text: string): readonly string[] {
  if (text === "") return []
  const lines = text.split("\n")
  const last = lines.pop() ?? ""
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`]
}

function cut(lines: readonly string[]): readonly string[] {
  let [end, units] = [0, 0]
  for (const line of lines) {
    units += line.length + 1
    const left = lines.length - end
    if (units > maxDiffUnits) return [...lines.slice(0, end), `… ${left} more ${left === 1 ? "line" : "lines"}`]
    end += 1
  }
  return lines
}
