import { entrySources } from "../../.ci/rooms.ts"

/** A subpath that the package exports. */
export interface EntryPoint {
  /** What users import, such as `promptstrata/testing`. */
  readonly specifier: string
  /** The module it is built from, as a path from the checkout. */
  readonly source: string
}

/** The modules that package.json exports, each with its source. */
export function entryPoints(): EntryPoint[] {
  return Object.entries(entrySources).map(([subpath, source]) => ({ specifier: `promptstrata${subpath.slice(1)}`, source }))
}
