import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { Bench, BenchResult } from "./bench.ts"
import { formatResult } from "./report.ts"

const folder = fileURLToPath(new URL("./", import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
})

/** Installs the peers where they are missing; what npm says goes to stderr, so that stdout is the tables alone. */
function installPeers(): void {
  const script = fileURLToPath(new URL("../../.ci/ensure-installed.mjs", import.meta.url))
  const { status } = spawnSync(process.execPath, [script, "test/bench"], { stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error("the peers to measure against could not be installed")
}

async function runAll(): Promise<BenchResult[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".bench.ts"))
  const chosen = files.filter((file) => positionals.length === 0 || positionals.some((name) => file.startsWith(name)))
  if (chosen.length === 0) throw new Error(`no benchmark begins with ${positionals.join(" or ")}; there are ${files.join(", ")}`)
  const results: BenchResult[] = []
  for (const file of chosen.sort()) {
    const bench = (await import(`./${file}`)) as Bench
    const result = await bench.run({ peers: !values.check })
    console.log(`${formatResult(result)}\n`)
    results.push(result)
  }
  return results
}

if (!values.check) installPeers()
const results = await runAll()
const gates = results.flatMap((result) => result.gates)
const failed = gates.filter((gate) => !gate.ok)
console.log(`${gates.length - failed.length} gates hold, ${failed.length} failed`)

if (values.write) {
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}. CPU time; compare ratios, not milliseconds.`
  writeFileSync(`${folder}RESULTS.md`, `${["# Results", machine, ...results.map(formatResult)].join("\n\n")}\n`)
}
if (values.check && failed.length > 0) process.exitCode = 1
