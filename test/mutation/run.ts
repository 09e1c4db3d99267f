import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { parseArgs } from "node:util"
import { mulberry } from "../support/mulberry.ts"
import { type Mutant, mutantsOf } from "./mutants.ts"

const usage = `Changes the sources a little, one change at a time, and prints the changes that no test finds.
The nearest tests run first, then all that import the file. It continues from test/mutation/outcomes.jsonl. Ctrl-C stops it.

  npm run mutate -- src/stores/sql              every mutant of a folder or a file
  npm run mutate -- src --sample 100 --seed 7   a hundred of them, chosen by a seed`

type Outcome = "killed" | "timeout" | "survived"

const root = resolve(import.meta.dirname, "../..")
const outcomesFile = resolve(import.meta.dirname, "outcomes.jsonl")
const [vitest, config] = [resolve(root, "node_modules/vitest/vitest.mjs"), resolve(import.meta.dirname, "vitest.config.ts")]
/** A mutant that runs longer than this has made a loop endless. */
const limitMs = 600_000

const options = { sample: { type: "string" }, seed: { type: "string", default: "1" }, help: { type: "boolean" } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const [folder] = positionals

/** The source files of a folder, or the file. */
function sources(place: string): readonly string[] {
  if (!statSync(resolve(root, place)).isDirectory()) return [place]
  const paths = readdirSync(resolve(root, place), { recursive: true, encoding: "utf8" })
  const files = paths.filter((path) => path.endsWith(".ts") && !path.includes("shipped-prompts"))
  return files.sort().map((path) => `${place.replace(/\/$/, "")}/${path.replaceAll("\\", "/")}`)
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

/** The test of a file, else the nearest folder that has tests of its own. */
function nearestTests(file: string): string {
  const own = file.replace(/^src\//, "test/").replace(/\.ts$/, ".test.ts")
  if (existsSync(resolve(root, own))) return own
  let near = dirname(own)
  while (!existsSync(resolve(root, near)) && near.includes("/")) near = dirname(near)
  return near
}

/** Runs vitest with a mutant in a process of its own. */
async function runTests(args: readonly string[], mutant?: Mutant): Promise<"passed" | "failed" | "timeout"> {
  const all = [vitest, ...args, "--config", config, "--bail", "1", "--reporter", "dot", "--passWithNoTests"]
  const env = { ...process.env, ...(mutant && { MUTANT: JSON.stringify(mutant) }) }
  const child = spawn(process.execPath, all, { cwd: root, env, stdio: "ignore" })
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs)
  const [code, signal] = await once(child, "exit")
  clearTimeout(timer)
  if (signal === "SIGKILL") return "timeout"
  return code === 0 ? "passed" : "failed"
}

async function outcomeOf(mutant: Mutant): Promise<Outcome> {
  for (const args of [
    ["run", nearestTests(mutant.file)],
    ["related", mutant.file, "--run"],
  ]) {
    const result = await runTests(args, mutant)
    if (result !== "passed") return result === "failed" ? "killed" : "timeout"
  }
  return "survived"
}

function earlierOutcomes(): Map<string, Outcome> {
  const lines = existsSync(outcomesFile) ? readFileSync(outcomesFile, "utf8").trim().split("\n") : []
  const rows = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as { id: string; outcome: Outcome })
  return new Map(rows.map(({ id, outcome }) => [id, outcome]))
}

async function mutate(place: string): Promise<void> {
  const all = sources(place).flatMap((file) => mutantsOf(file, readFileSync(resolve(root, file), "utf8")))
  const chosen = shuffled(all, mulberry(Number(values.seed))).slice(0, Number(values.sample ?? all.length))
  for (const tests of new Set(chosen.map(({ file }) => nearestTests(file))))
    if ((await runTests(["run", tests])) !== "passed") throw new Error(`expected ${tests} to pass before any change`)
  const [first] = chosen
  const planted = first && { ...first, start: 0, end: 0, text: 'throw new Error("planted")\n' }
  if (planted && (await runTests(["related", planted.file, "--run"], planted)) !== "failed")
    throw new Error(
      `expected the tests of ${planted.file} to fail when it throws: no test imports it, or mutants do not reach them`,
    )
  const known = earlierOutcomes()
  const counts = { killed: 0, timeout: 0, survived: 0 }
  for (const mutant of chosen) {
    const { id, file, line, start, end, text } = mutant
    const earlier = known.get(id)
    const outcome = earlier ?? (await outcomeOf(mutant))
    counts[outcome] += 1
    const change = `${readFileSync(resolve(root, file), "utf8").slice(start, end)} → ${text}`.replaceAll(/\s+/g, " ")
    if (earlier === undefined) appendFileSync(outcomesFile, `${JSON.stringify({ outcome, file, line, change, id })}\n`)
    if (outcome === "survived") console.log(`${file}:${line} ${change}`)
  }
  const score = ((100 * (chosen.length - counts.survived)) / Math.max(1, chosen.length)).toFixed(1)
  console.log(`${chosen.length} of ${all.length} mutants, seed ${values.seed}: ${JSON.stringify(counts)}, ${score} % found`)
}

if (folder === undefined || values.help) console.log(usage)
else await mutate(folder)
