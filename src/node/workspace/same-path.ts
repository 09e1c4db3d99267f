import { nameKey } from "./path-key.ts"
import { splitPath } from "./path-rules.ts"

/**
 * The one spelling of a path: names between single slashes, composed, and as in `names` where one of those is meant, such as
 * `SOUL.md` for `./soul.MD`. Throws as {@link splitPath} does. Nothing is looked up: see {@link Workspace.resolve}.
 */
export function canonicalPath(path: string, names: readonly string[] = []): string {
  const parts = splitPath(path, "allow").map((name) => name.normalize("NFC"))
  const key = pathKey(parts)
  return names.find((name) => pathKey(name.split("/")) === key) ?? parts.join("/")
}

/**
 * True when two paths can be one file to some file system: case, width, composition and invisible characters do not count (D12).
 * A path that no workspace accepts is the same as none.
 */
export function samePath(one: string, other: string): boolean {
  const [a, b] = [keyOf(one), keyOf(other)]
  return a !== undefined && a === b
}

function keyOf(path: string): string | undefined {
  try {
    return pathKey(splitPath(path, "allow"))
  } catch {
    return undefined
  }
}

function pathKey(names: readonly string[]): string {
  return names.map(nameKey).join("/")
}
