import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The checkout's folder, with a slash at its end. */
export const root = fileURLToPath(new URL("../../", import.meta.url))

/** The files below a folder of the checkout whose names end in `suffix`, as paths from the checkout, sorted. */
function filesBelow(folder: string, suffix: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(suffix) && !/\/(?:node_modules|\.tmp|__snapshots__)\//.test(path))
    .sort()
}

/** Those files' texts by path. */
export function readSources(folder: string, suffix: string): Map<string, string> {
  return new Map(filesBelow(folder, suffix).map((path) => [path, readFileSync(root + path, "utf8")]))
}
