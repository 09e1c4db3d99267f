import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { messageOf } from "../../src/core/errors.ts"
import type { Bench, BenchResult } from "./bench.ts"
import { installPeers } from "./install-peers.ts"
import { formatResult } from "./report.ts"

const folder = fileURLToPath(new URL("./", import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
  },
})

/** The beginnings of the names of those that are run; none stand for all. */
const wanted = [...values.only, ...positionals]

/** A benchmark's result; one whose peer is not installed says so and has no rows, but fails all the same where it is to be kept. */
async function runOne(file: string): Promise<BenchResult> {
  try {
    const bench = (await import(`./${file}`)) as Bench
    return await bench.run({ peers: !values.check, write: values.write })
  } catch (thrown) {
    if (values.write || (thrown as { readonly code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw thrown
    return { title: file, rows: [], gates: [], notes: [`Skipped: ${messageOf(thrown)}`] }
  }
}

function secondsSince(begunMs: number): number {
  return Math.round((performance.now() - begunMs) / 1000)
}

/** Which peers were measured, and the command that did it. */
function madeBy(): string {
  const lock = JSON.parse(readFileSync(`${folder}package-lock.json`, "utf8")) as {
    readonly packages: Readonly<Record<string, { readonly version?: string; readonly dependencies?: object }>>
  }
  const names = Object.keys(lock.packages[""]?.dependencies ?? {})
  const versions = names.map((name) => `${name} ${lock.packages[`node_modules/${name}`]?.version}`)
  return [
    `Made by \`npm run bench -- --write\` on Node ${process.versions.node}, ${process.platform} ${process.arch}.`,
    `Beside ${versions.join(", ")}. CPU time; compare ratios, not milliseconds.`,
  ].join("\n")
}

async function runAll(): Promise<BenchResult[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".bench.ts"))
  const unknown = wanted.filter((name) => !files.some((file) => file.startsWith(name)))
  if (unknown.length > 0) throw new Error(`no benchmark begins with ${unknown.join(" or ")}; there are ${files.join(", ")}`)
  const chosen = files.filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)))
  const results: BenchResult[] = []
  for (const [at, file] of chosen.sort().entries()) {
    // On stderr, so that stdout is the tables alone.
    console.error(`${at + 1} of ${chosen.length}: ${file.replace(/\.bench\.ts$/, "")}`)
    const begunMs = performance.now()
    const result = await runOne(file)
    console.error(`   ${secondsSince(begunMs)} s`)
    console.log(`${formatResult(result)}\n`)
    results.push(result)
  }
  return results
}

if (values.write && (values.check || wanted.length > 0)) throw new Error("--write keeps the results of a whole run")
if (!values.check) installPeers()
const results = await runAll()
const gates = results.flatMap((result) => result.gates)
const failed = gates.filter((gate) => !gate.ok)
console.log(`${gates.length - failed.length} gates hold, ${failed.length} failed`)
console.error(`${results.length} benchmarks in ${secondsSince(0)} s`)

if (values.write) {
  writeFileSync(`${folder}RESULTS.md`, `${["# Results", madeBy(), ...results.map(formatResult)].join("\n\n")}\n`)
}
// Services that are measured hanging would keep the process.
process.exit(values.check && failed.length > 0 ? 1 : 0)
