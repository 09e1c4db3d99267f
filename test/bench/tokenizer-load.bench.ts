import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { BenchResult, Row } from "./bench.ts"
import { formatMs, formatRatio, median } from "./measure.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const built = `${root}dist/tokenizers/tiktoken.js`
const runs = 7

const withOurs = `const { tiktokenCounter } = await import(${JSON.stringify(built)}); (await tiktokenCounter({ encoding: "o200k_base" })).count("a")`
const withTiktoken = `const { get_encoding } = await import("tiktoken"); get_encoding("o200k_base").encode_ordinary("a")`

/** CPU and memory of making a counter in a fresh process, beside tiktoken's encoder; the gate is that no WebAssembly is loaded. */
export async function run(): Promise<BenchResult> {
  if (!existsSync(built)) throw new Error("dist/tokenizers/tiktoken.js is missing: run npm run build")
  const costs = Array.from({ length: runs }, () => ({ tiktoken: costOf(withTiktoken), ours: costOf(withOurs) }))
  const row = (what: string, cost: "ms" | "mb", format: (value: number) => string): Row => {
    const [tiktoken, ours] = [median(costs.map((run) => run.tiktoken[cost])), median(costs.map((run) => run.ours[cost]))]
    return { what, tiktoken: format(tiktoken), ours: format(ours), "tiktoken / ours": formatRatio(tiktoken, ours) }
  }
  const wasm = costs.some(({ ours }) => ours.wasm)
  return {
    title: `Loading o200k_base (median of ${runs} fresh processes)`,
    rows: [row("CPU", "ms", formatMs), row("resident memory", "mb", (mb) => `${mb.toFixed(0)} MB`)],
    gates: [{ name: "counting loads no WebAssembly", ok: !wasm, detail: wasm ? "a module was compiled" : "none compiled" }],
  }
}

interface Cost {
  readonly ms: number
  readonly mb: number
  readonly wasm: boolean
}

function costOf(code: string): Cost {
  const script = `
    let wasm = false
    const { Module } = WebAssembly
    WebAssembly.Module = class extends Module { constructor(bytes) { super(bytes); wasm = true } }
    const memory = process.memoryUsage.rss(), before = process.cpuUsage()
    ${code}
    const { user, system } = process.cpuUsage(before)
    console.log(JSON.stringify({ ms: (user + system) / 1000, mb: (process.memoryUsage.rss() - memory) / 1e6, wasm }))`
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    cwd: root,
  })
  if (status !== 0) throw new Error(`loading failed:\n${stderr}`)
  return JSON.parse(stdout) as Cost
}
