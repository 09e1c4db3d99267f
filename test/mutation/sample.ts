import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Mutant, mutantsOf } from "./mutants.ts"
import { uncompiled } from "./type-check.ts"
import { hashOf } from "./work.ts"

/** The source files of a folder, or the file. */
function sources(root: string, place: string): readonly string[] {
  if (!statSync(join(root, place)).isDirectory()) return [place]
  const paths = readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
  const files = paths.filter((path) => path.endsWith(".ts") && !path.includes("shipped-prompts"))
  return files.sort().map((path) => `${place.replace(/\/$/, "")}/${path.replaceAll("\\", "/")}`)
}

/** How many mutants to draw; `ids` names those that count alone, if it names any. */
interface Wanted {
  readonly count: number
  readonly seed: string
  readonly ids: readonly string[]
}

/** The compiling mutants of the places, in an order that the seed draws; a change of one file does not move the others. */
export function drawMutants(root: string, folder: string, places: readonly string[], wanted: Wanted): readonly Mutant[] {
  const { count, seed, ids } = wanted
  const all = places
    .flatMap((place) => sources(root, place))
    .flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")))
    .filter(({ id }) => ids.length === 0 || ids.includes(id))
  const rank = ({ id }: Mutant): string => createHash("sha256").update(`${seed} ${id}`).digest("hex")
  const ranked = all.map((mutant) => ({ mutant, rank: rank(mutant) })).sort((a, b) => (a.rank < b.rank ? -1 : 1))
  const tried = ranked.slice(0, Math.ceil(count * 1.5)).map(({ mutant }) => mutant)
  const file = join(folder, "compiles.json")
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, boolean>) : {}
  const key = ({ id, file: source }: Mutant): string => `${id} ${hashOf(join(root, source))}`
  const keys = new Map(tried.map((mutant) => [mutant, key(mutant)]))
  const unknown = tried.filter((mutant) => known[keys.get(mutant) as string] === undefined)
  const bad = unknown.length > 0 ? uncompiled(root, unknown) : new Set<string>()
  for (const mutant of unknown) known[keys.get(mutant) as string] = !bad.has(mutant.id)
  writeFileSync(file, JSON.stringify(known))
  const compiling = tried.filter((mutant) => known[keys.get(mutant) as string]).slice(0, count)
  console.log(`${all.length} mutants; ${compiling.length} drawn that compile`)
  return compiling
}

/** The test files of `npm test` that may run in a shared process, and those of `recorded/`. */
export function testFiles(root: string): readonly string[] {
  const skipped =
    /^(?:corpora|bench|browser|examples|mutation(?!\/recorded)|soak)\/|^loop\/agent\/unloaded-loop|^node\/file-log-coarse|load-encoder\.test/
  const paths = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"))
  const files = paths.filter((path) => path.endsWith(".test.ts") && !path.startsWith(".tmp") && !skipped.test(path))
  return files.map((path) => `test/${path}`).sort()
}
