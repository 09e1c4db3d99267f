import { posix } from "node:path"
import { findCycles } from "./cycles.ts"
import { type ImportFound, importsOf } from "./imports.ts"
import { edges, fileWriters, folderOf, generatedFolder, layerOrder, lightPackages, rowOf, sharedFiles } from "./layer-order.ts"

/** A rule of the house that a file breaks. */
export interface Violation {
  readonly rule:
    | "direction"
    | "index"
    | "edge"
    | "cycle"
    | "folder-cycle"
    | "package"
    | "root"
    | "size"
    | "default-export"
    | "export-all"
    | "folder"
    | "write"
  readonly file: string
  readonly detail: string
}

/** Source texts by path, such as `src/core/span.ts`. */
export type Sources = ReadonlyMap<string, string>

interface Edge extends ImportFound {
  readonly from: string
  /** The imported source file, or undefined for a package. */
  readonly to: string | undefined
}

const maxLines = 300

/** Every rule of the house over a tree of source files; none broken is an empty list. */
export function checkArchitecture(sources: Sources): Violation[] {
  const files = [...sources.keys()]
  const all = files.flatMap((file) => importsOf(sources.get(file) ?? "").map((found) => edgeOf(file, found)))
  return [
    ...files.flatMap((file) => checkText(file, sources.get(file) ?? "")),
    ...all.flatMap(checkImport),
    ...checkCycles(all),
    ...checkRoot(all, sources),
  ]
}

function edgeOf(from: string, found: ImportFound): Edge {
  const relative = found.specifier.startsWith(".")
  return { ...found, from, to: relative ? posix.normalize(posix.join(posix.dirname(from), found.specifier)) : undefined }
}

/** Imports by which a file can be written. */
const fileImport =
  /^import\s+([^"';]*?)\s+from\s+"(node:fs|node:fs\/promises|write-file-atomic)"|import\(\s*"(?:node:fs|node:fs\/promises)"\s*\)/gm

/** Names of functions that change files, and everything at once. */
const writing =
  /^\w+$|\*|\b(?:promises|open|openSync|(?:write|append|copy)File(?:Sync)?|writev?Sync|rename(?:Sync)?|f?truncate(?:Sync)?|createWriteStream|cp(?:Sync)?|rm(?:Sync)?|unlink(?:Sync)?|link(?:Sync)?|symlink(?:Sync)?)\b/

function checkText(file: string, text: string): Violation[] {
  const found: Violation[] = []
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  if (lines > maxLines && !file.startsWith(generatedFolder))
    found.push({ rule: "size", file, detail: `${lines} lines, at most ${maxLines}` })
  if (rowOf(folderOf(file)) === undefined)
    found.push({ rule: "folder", file, detail: `${folderOf(file)} has no place in the layer order` })
  const mayDoIo = (rowOf(folderOf(file)) ?? 0) > layerOrder.length
  if (mayDoIo && !file.startsWith("src/node/workspace/") && !fileWriters.includes(file))
    for (const [, names = "everything", name = "node:fs"] of text.matchAll(fileImport))
      if (writing.test(names))
        found.push({ rule: "write", file, detail: `${names.trim()} of ${name}; a file is changed by updateFile or a workspace` })
  if (/^export\s+(?:default\b|\{[^}]*\bas\s+default\b)/m.test(text))
    found.push({ rule: "default-export", file, detail: "export default" })
  if (/^export\s+(?:type\s+)?\*/m.test(text)) found.push({ rule: "export-all", file, detail: "export *" })
  return found
}

function checkImport(edge: Edge): Violation[] {
  return edge.to === undefined ? checkPackage(edge) : checkDirection(edge, edge.to)
}

function checkDirection({ from, line }: Edge, to: string): Violation[] {
  const at = `${from}:${line}`
  if (posix.basename(to) === "index.ts") return [{ rule: "index", file: at, detail: `imports ${to}` }]
  const [here, there] = [folderOf(from), folderOf(to)]
  if (here === there || here === "cli") return []
  if (sharedFiles.includes(to) && edges.includes(here)) return []
  if (edges.includes(here) && edges.includes(there)) return [{ rule: "edge", file: at, detail: `imports ${to}, another edge` }]
  return (rowOf(here) ?? 0) >= (rowOf(there) ?? 0)
    ? []
    : [{ rule: "direction", file: at, detail: `imports ${to}, which stands above it` }]
}

/** Below the edges: light packages at load time, others by `import()` inside a function, and never `node:`. */
function checkPackage({ from, specifier, dynamic, topLevel, line }: Edge): Violation[] {
  const row = rowOf(folderOf(from)) ?? 0
  if (row > layerOrder.length) return []
  const lazy = dynamic && !topLevel && !specifier.startsWith("node:")
  if (lazy || lightPackages.includes(specifier)) return []
  return [{ rule: "package", file: `${from}:${line}`, detail: `imports ${specifier}; only the edges may` }]
}

function checkCycles(all: readonly Edge[]): Violation[] {
  const inner = all.flatMap(({ from, to }) => (to === undefined ? [] : [[from, to] as const]))
  const folders = inner.map(([from, to]) => [folderOf(from), folderOf(to)] as const).filter(([from, to]) => from !== to)
  const violation = (rule: Violation["rule"]) => (cycle: readonly string[]) => ({
    rule,
    file: cycle[0] ?? "",
    detail: cycle.join(" → "),
  })
  return [...findCycles(inner).map(violation("cycle")), ...findCycles(folders).map(violation("folder-cycle"))]
}

/** What loads with `src/index.ts`: no edge's file and only light packages, however far away. */
function checkRoot(all: readonly Edge[], sources: Sources): Violation[] {
  const loaded = loadedBy("src/index.ts", all, sources)
  return all.flatMap(({ from, to, specifier, typeOnly, dynamic, topLevel, line }) => {
    if (!loaded.has(from) || typeOnly || (dynamic && !topLevel)) return []
    const allowed = to === undefined ? lightPackages.includes(specifier) : (rowOf(folderOf(to)) ?? 0) <= layerOrder.length
    return allowed ? [] : [{ rule: "root" as const, file: `${from}:${line}`, detail: `loads ${specifier} with the root entry` }]
  })
}

function loadedBy(entry: string, all: readonly Edge[], sources: Sources): ReadonlySet<string> {
  const loaded = new Set(sources.has(entry) ? [entry] : [])
  for (const file of loaded) {
    for (const { from, to, typeOnly, dynamic, topLevel } of all) {
      if (from === file && to !== undefined && !typeOnly && (!dynamic || topLevel)) loaded.add(to)
    }
  }
  return loaded
}
