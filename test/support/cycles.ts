/** The cycles of a directed graph that a depth-first walk meets, each as its path with the first node again at the end. */
export function findCycles(edges: readonly (readonly [from: string, to: string])[]): string[][] {
  const targets = new Map<string, string[]>()
  for (const [from, to] of edges) targets.set(from, [...(targets.get(from) ?? []), to])
  const cycles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (node: string): void => {
    const start = path.indexOf(node)
    if (start >= 0) {
      cycles.push([...path.slice(start), node])
      return
    }
    if (done.has(node)) return
    path.push(node)
    for (const target of new Set(targets.get(node))) visit(target)
    path.pop()
    done.add(node)
  }
  for (const node of targets.keys()) visit(node)
  return cycles
}
