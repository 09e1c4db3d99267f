import { readFileSync } from "node:fs"
import { root } from "./source-files.ts"

/** A subpath that the package exports. */
export interface EntryPoint {
  /** What users import, such as `promptstrata/testing`. */
  readonly specifier: string
  /** The module it is built from, as a path from the checkout. */
  readonly source: string
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}

/** The modules that package.json exports, each with its source. */
export function entryPoints(): EntryPoint[] {
  const { name, exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as Manifest
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") return []
    const source = target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts")
    return [{ specifier: name + subpath.slice(1), source }]
  })
}
