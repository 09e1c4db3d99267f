import { readdirSync } from "node:fs"
import { resolve } from "node:path"
import { PromptStrataError } from "../core/errors.ts"
import { didYouMean } from "../core/suggest.ts"
import { fileExists } from "./file-log.ts"
import { lookedFor } from "./find-text.ts"
import { displaySearched } from "./shipped-files.ts"

/** Where profiles are looked up. */
export interface ProfilePlaces {
  /** What paths are relative to. */
  readonly folder: string
  /** Folders in which a name is looked up, in this order. */
  readonly roots: readonly string[]
}

/** Every file a name or path can mean, the first that exists wins. With a slash or `.toml` at its end it is a path, whose `.toml` may be left out. */
export function profileCandidates(nameOrPath: string, { folder, roots }: ProfilePlaces): string[] {
  if (nameOrPath.endsWith(".toml")) return [resolve(folder, nameOrPath)]
  if (/[\\/]/.test(nameOrPath)) return [resolve(folder, `${nameOrPath}.toml`), resolve(folder, nameOrPath)]
  return [...new Set(roots.map((root) => resolve(root, `${nameOrPath}.toml`)))]
}

/** The file that a name or path means; a missing one throws `profile-missing`, listing where it was looked for. */
export function findProfile(nameOrPath: string, places: ProfilePlaces): string {
  const candidates = profileCandidates(nameOrPath, places)
  const found = candidates.find((path) => fileExists(path))
  if (found !== undefined) return found
  const { message, hint, known } = missingProfile(nameOrPath, places)
  throw new PromptStrataError("profile-missing", message, { hint, evidence: { searched: candidates, known } })
}

/** The words about a profile that is not there. */
export function missingProfile(nameOrPath: string, places: ProfilePlaces): { message: string; hint: string; known: string[] } {
  const known = knownProfiles(places.roots)
  const searched = profileCandidates(nameOrPath, places).map(displaySearched)
  return {
    message: `expected a profile, found none called ${JSON.stringify(nameOrPath)}.${didYouMean(nameOrPath, known)}`,
    hint: `${lookedFor(searched)}\nKnown profiles: ${known.join(", ") || "none"}.`,
    known,
  }
}

function knownProfiles(roots: readonly string[]): string[] {
  const files = roots.flatMap((root) => filesIn(root)).filter((file) => file.endsWith(".toml"))
  return [...new Set(files.map((file) => file.slice(0, -".toml".length)))].sort()
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    // A folder that is not there, or not ours to read, has no names to suggest.
    return []
  }
}
