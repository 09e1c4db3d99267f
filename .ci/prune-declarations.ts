import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

/**
 * Removes the declarations in `folder` that no program can reach: those that none of `entries` imports, directly or through others.
 * They are half of all. Throws if one of the others imports a package that is not among `packages`: a program would not have its types.
 */
export function pruneDeclarations(folder: string, entries: readonly string[], packages: readonly string[]): void {
  const reached = new Set(entries.map((entry) => resolve(entry)))
  // A set's values grow while they are read.
  for (const file of reached) {
    const text = readFileSync(file, "utf8")
    for (const [, path = ""] of text.matchAll(/"(\.{1,2}\/[^"]+)\.[jt]s"/g)) reached.add(resolve(dirname(file), `${path}.d.ts`))
    for (const [, name = ""] of text.matchAll(/^(?:import|export) .*from "((?:@[\w.-]+\/)?[\w-][\w.-]*)/gm))
      if (!packages.includes(name)) throw new Error(`${file} imports ${name}, which package.json does not promise.`)
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = resolve(folder, name)
    if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(join(folder, name))
  }
}
