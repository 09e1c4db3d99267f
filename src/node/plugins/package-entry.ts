import { existsSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { isRecord } from "../../core/json-access.ts"
import { isFolder } from "../file-log.ts"
import { readTextFile } from "../read-text-file.ts"

/** The module of a package; if there is none, the folders that were searched, or the fault of the package that was found. */
type PackageEntry =
  | { readonly path: string }
  | { readonly searched: readonly string[] }
  | { readonly folder: string; readonly fault: string }

/**
 * Finds the module that `import` would load for a name such as `pkg`, `@scope/pkg` or `pkg/part`. The importing file is taken to
 * be in the first of `folders` that has the package in a `node_modules` in it or above it. Node resolves packages only from the
 * place of the running module, so its rules are repeated here.
 */
export function findPackageEntry(name: string, folders: readonly string[]): PackageEntry {
  const parts = name.split("/")
  const packageName = parts.splice(0, name.startsWith("@") ? 2 : 1).join("/")
  const searched = [...new Set(folders.flatMap((folder) => modulesAbove(folder)))]
  const folder = searched.map((modules) => join(modules, packageName)).find(isFolder)
  if (folder === undefined) return { searched }
  try {
    const path = entryOf(folder, ["."].concat(parts).join("/"))
    return path === undefined ? { folder, fault: `its package.json names no module for ${JSON.stringify(name)}` } : { path }
  } catch {
    return { folder, fault: "its package.json cannot be read as JSON" }
  }
}

/** The `node_modules` folders of a module in `folder`, the nearest first. */
function modulesAbove(folder: string): string[] {
  const above = dirname(folder)
  const own = basename(folder) === "node_modules" ? [] : [join(folder, "node_modules")]
  return above === folder ? own : [...own, ...modulesAbove(above)]
}

function entryOf(folder: string, subpath: string): string | undefined {
  const manifest: unknown = existsSync(join(folder, "package.json")) ? JSON.parse(readTextFile(join(folder, "package.json"))) : {}
  const { exports, main } = Object(manifest) as { readonly exports?: unknown; readonly main?: unknown }
  if (exports !== undefined && exports !== null) {
    const target = exportedPath(exports, subpath)
    return target === undefined ? undefined : resolve(folder, target)
  }
  if (subpath !== ".") return existingFile(resolve(folder, subpath), [""])
  const named = typeof main === "string" ? existingFile(resolve(folder, main), ["", ".js", "/index.js"]) : undefined
  return named ?? existingFile(resolve(folder, "index"), [".js"])
}

function existingFile(path: string, endings: readonly string[]): string | undefined {
  return endings.map((ending) => path + ending).find((candidate) => existsSync(candidate) && !isFolder(candidate))
}

/** The conditions that hold for an `import` in Node. */
const conditions: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"])

/**
 * The path in a package that its `exports` gives for a subpath (`.` or `./part`). Exact keys go before patterns, and the first
 * condition that holds wins. `undefined` if it gives none, or one outside the package.
 */
export function exportedPath(exports: unknown, subpath: string): string | undefined {
  const hasSubpaths = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."))
  const paths = hasSubpaths ? exports : { ".": exports }
  if (!subpath.includes("*") && Object.hasOwn(paths, subpath)) return targetOf(paths[subpath], "")
  const [pattern] = Object.keys(paths)
    .filter((key) => matches(key, subpath))
    .sort((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length)
  if (pattern === undefined) return undefined
  const [head = "", tail = ""] = pattern.split("*")
  return targetOf(paths[pattern], subpath.slice(head.length, subpath.length - tail.length))
}

function matches(key: string, subpath: string): boolean {
  const [head = "", tail, ...more] = key.split("*")
  return (
    tail !== undefined && more.length === 0 && subpath.length >= key.length && subpath.startsWith(head) && subpath.endsWith(tail)
  )
}

function targetOf(target: unknown, star: string): string | undefined {
  if (typeof target === "string") {
    const path = target.replaceAll("*", star)
    return target.startsWith("./") && !path.split(/[\\/]/).includes("..") ? path : undefined
  }
  const choices = isRecord(target)
    ? Object.keys(target)
        .filter((key) => conditions.has(key))
        .map((key) => target[key])
    : target
  for (const choice of Array.isArray(choices) ? choices : []) {
    const path = targetOf(choice, star)
    if (path !== undefined) return path
  }
  return undefined
}
