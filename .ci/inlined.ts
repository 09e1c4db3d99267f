import { readFileSync } from "node:fs"

/**
 * Packages of which dist holds the used part, with their licences. `leven`, the one package of the root entry, has four kilobytes: as a
 * file of its own to be found and read it is a tenth of an import. Of `kysely` a store uses a tenth, and as its 300 files it is more
 * than half of the CPU of the first `openStore`. `preact` draws the inspector's page.
 */
export const inlined: ReadonlyMap<string, string> = new Map([
  ["leven", "license"],
  ["kysely", "LICENSE"],
  ["preact", "LICENSE"],
])

/** The versions that the lockfile has of them, by name. */
export function inlinedVersions(lockfile = readFileSync("package-lock.json", "utf8")): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(lockfile) as { readonly packages: Readonly<Record<string, { readonly version: string }>> }
  return new Map([...inlined.keys()].map((name) => [name, packages[`node_modules/${name}`]?.version ?? "unknown"]))
}
