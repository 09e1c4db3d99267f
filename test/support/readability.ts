import { posix } from "node:path"
import { parseSync, Visitor } from "rolldown/utils"
import type { Sources } from "./architecture.ts"
import { generatedFolder } from "./layer-order.ts"

/** Files that a folder may have beside its sub-folders. */
const maxFiles = 20

/** Folders with more than {@link maxFiles} source files directly in them, sorted. Sub-folders count by themselves. */
export function crowdedFolders(sources: Sources): string[] {
  const counts = new Map<string, number>()
  for (const file of written(sources)) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > maxFiles)
    .map(([folder]) => folder)
    .sort()
}

/** Doc comments that begin with a question word in place of a statement, as `file:line: first words`. */
export function questioningComments(sources: Sources): string[] {
  return written(sources).flatMap((file) => {
    const text = sources.get(file) ?? ""
    return [...text.matchAll(/\/\*\*\s+(?:\*\s+)?((?:What|Where|Whether|Who)\b[^\n]{0,40})/g)].map(
      ({ index, 1: words = "" }) => `${file}:${lineAt(text, index)}: ${words}`,
    )
  })
}

/** Weak maps and sets, as `file:line`, and those of them without a line above that says why. */
export function weakCaches(sources: Sources): { readonly all: readonly string[]; readonly unexplained: readonly string[] } {
  const all: string[] = []
  const unexplained: string[] = []
  for (const file of written(sources)) {
    const lines = (sources.get(file) ?? "").split("\n")
    for (const [at, line] of lines.entries()) {
      if (!/\bnew Weak(?:Map|Set)\b/.test(line)) continue
      all.push(`${file}:${at + 1}`)
      if (!/\*\/$|^\s*\/\//.test(lines[at - 1] ?? "")) unexplained.push(`${file}:${at + 1}`)
    }
  }
  return { all, unexplained }
}

/** Lines that a function may have, from its first line to its closing brace. */
const maxFunctionLines = 40

/** Functions of more than {@link maxFunctionLines} lines, as `file:line: N lines: first line`. */
export function longFunctions(sources: Sources): string[] {
  return written(sources).flatMap((file) => {
    const text = sources.get(file) ?? ""
    const found: string[] = []
    const measure = ({ start, end }: { readonly start: number; readonly end: number }): void => {
      const [first, last] = [lineAt(text, start), lineAt(text, end)]
      const lines = last - first + 1
      if (lines > maxFunctionLines) found.push(`${file}:${first}: ${lines} lines: ${text.split("\n")[first - 1]?.trim()}`)
    }
    const visitor = new Visitor({
      FunctionDeclaration: measure,
      FunctionExpression: measure,
      ArrowFunctionExpression: measure,
    })
    visitor.visit(parseSync(file, text).program)
    return found
  })
}

/** Getters of object literals, as `file:line: first line`. Those of a class belong to its prototype and are not among them. */
export function literalGetters(sources: Sources): string[] {
  return written(sources).flatMap((file) => {
    const text = sources.get(file) ?? ""
    const found: string[] = []
    const visitor = new Visitor({
      Property({ kind, start }) {
        const line = lineAt(text, start)
        if (kind === "get") found.push(`${file}:${line}: ${text.split("\n")[line - 1]?.trim()}`)
      },
    })
    visitor.visit(parseSync(file, text).program)
    return found
  })
}

function written(sources: Sources): string[] {
  return [...sources.keys()].filter((file) => !file.startsWith(generatedFolder))
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length
}
