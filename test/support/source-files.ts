import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The checkout's folder, with a slash at its end. */
export const root = fileURLToPath(new URL("../../", import.meta.url))

/** Folders of others, and of what tests write while they run. */
const skipped: ReadonlySet<string> = new Set(["node_modules", ".tmp", "__snapshots__"])

/** The files below a folder of the checkout whose names end in `suffix`, as paths from the checkout, sorted. */
export function filesBelow(folder: string, suffix: string): string[] {
  const paths = readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesBelow(path, suffix)
    return path.endsWith(suffix) ? [path] : []
  })
  return paths.sort()
}

/** Those files' texts by path. */
export function readSources(folder: string, suffix: string): Map<string, string> {
  return new Map(filesBelow(folder, suffix).map((path) => [path, readFileSync(root + path, "utf8")]))
}
