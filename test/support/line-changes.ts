/**
 * The lines of a text that another text has not, and those that it lacks, each with its number in the other one: `+9 new line` stands
 * behind line 9, `-4 old line` is line 4. Empty for equal texts.
 */
export function lineChanges(before: string, after: string): string {
  const [old, fresh] = [before.split("\n"), after.split("\n")]
  const common = commonLines(old, fresh)
  const changes: string[] = []
  let [at, to] = [0, 0]
  while (at < old.length || to < fresh.length) {
    if (at < old.length && to < fresh.length && old[at] === fresh[to]) [at, to] = [at + 1, to + 1]
    else if (at < old.length && common(at + 1, to) >= common(at, to + 1)) changes.push(`-${at + 1} ${old[at++]}`)
    else changes.push(`+${at} ${fresh[to++]}`)
  }
  return changes.map((line) => `${line}\n`).join("")
}

/** The number of lines that two texts have in common, in order, behind a line of each. */
function commonLines(old: readonly string[], fresh: readonly string[]): (at: number, to: number) => number {
  const table = Array.from({ length: old.length + 2 }, () => new Array<number>(fresh.length + 2).fill(0))
  const common = (at: number, to: number): number => (at > old.length || to > fresh.length ? -1 : (table[at]?.[to] ?? 0))
  for (let at = old.length - 1; at >= 0; at--) {
    const row = table[at] ?? []
    for (let to = fresh.length - 1; to >= 0; to--) {
      row[to] = old[at] === fresh[to] ? 1 + common(at + 1, to + 1) : Math.max(common(at + 1, to), common(at, to + 1))
    }
  }
  return common
}
