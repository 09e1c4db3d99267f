import { existsSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { isFolder } from "../file-log.ts"
import { readTextFile } from "../read-text-file.ts"
import { exportedPath } from "./package-exports.ts"

/** A package's module for a name such as `pkg`, `@scope/pkg` or `pkg/part`; without one, where it was looked for or what is wrong. */
export type PackageEntry =
  | { readonly path: string }
  | { readonly searched: readonly string[] }
  | { readonly folder: string; readonly fault: string }

/**
 * Finds what `import` would load from a file in the first of `folders` that has the package in a `node_modules` beside it or
 * above it. Node offers this only for its own module's place, so its rules for packages are followed here.
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

/** Where a module in `folder` finds packages, the nearest first. */
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
