/** What Node asks a package for on `import`. */
const conditions: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"])

/**
 * What a package's `exports` has for a subpath (`.` or `./part`), as a path in the package: exact keys before patterns, the first
 * condition that holds. `undefined` where it has nothing, or something outside the package.
 */
export function exportedPath(exports: unknown, subpath: string): string | undefined {
  const paths = hasSubpaths(exports) ? exports : { ".": exports }
  if (!subpath.includes("*") && Object.hasOwn(paths, subpath)) return targetOf(paths[subpath], "")
  const [pattern] = Object.keys(paths)
    .filter((key) => matches(key, subpath))
    .sort((a, b) => b.indexOf("*") - a.indexOf("*") || b.length - a.length)
  if (pattern === undefined) return undefined
  const [head = "", tail = ""] = pattern.split("*")
  return targetOf(paths[pattern], subpath.slice(head.length, subpath.length - tail.length))
}

function hasSubpaths(exports: unknown): exports is Readonly<Record<string, unknown>> {
  return isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."))
}

function matches(key: string, subpath: string): boolean {
  const [head = "", tail, ...more] = key.split("*")
  return (
    tail !== undefined && more.length === 0 && subpath.length >= key.length && subpath.startsWith(head) && subpath.endsWith(tail)
  )
}

function targetOf(target: unknown, star: string): string | undefined {
  if (typeof target === "string")
    return target.startsWith("./") && !isOutside(target, star) ? target.replaceAll("*", star) : undefined
  if (Array.isArray(target)) return firstOf(target, star)
  if (!isRecord(target)) return undefined
  return firstOf(
    Object.keys(target)
      .filter((condition) => conditions.has(condition))
      .map((condition) => target[condition]),
    star,
  )
}

function firstOf(targets: readonly unknown[], star: string): string | undefined {
  for (const target of targets) {
    const path = targetOf(target, star)
    if (path !== undefined) return path
  }
  return undefined
}

function isOutside(target: string, star: string): boolean {
  return target.replaceAll("*", star).split(/[\\/]/).includes("..")
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
