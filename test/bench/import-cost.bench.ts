import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { modulesLoadedBy, packagesAmong } from "../support/loaded-modules.ts"
import type { BenchResult } from "./bench.ts"
import { formatMs, median } from "./measure.ts"

const built = fileURLToPath(new URL("../../dist/index.js", import.meta.url))
const runs = 15

/** Compiling takes most of an import's time: what is read stands for it, and does not depend on the machine. */
const maxBytes = 300_000

/** CPU of importing the built root entry in a fresh process, beside an empty module; the gate is what gets loaded. */
export async function run(): Promise<BenchResult> {
  if (!existsSync(built)) throw new Error("dist/index.js is missing: run npm run build")
  const rootMs: number[] = []
  const emptyMs: number[] = []
  // In turns, so that a busy moment of the machine falls on both.
  for (let i = 0; i < runs; i++) {
    emptyMs.push(importCpuMs("data:text/javascript,"))
    rootMs.push(importCpuMs(pathToFileURL(built).href))
  }
  const loaded = modulesLoadedBy(built)
  const packages = packagesAmong(loaded)
  const builtIn = loaded.filter((url) => url.startsWith("node:"))
  const bytes = loaded.filter((url) => url.startsWith("file:")).reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0)
  const floor = median(emptyMs)
  return {
    title: `Import of the root entry (${loaded.length} modules, median of ${runs} fresh processes)`,
    rows: [
      { module: "empty", "CPU of import": formatMs(floor), "over empty": "" },
      { module: "promptstrata", "CPU of import": formatMs(median(rootMs)), "over empty": formatMs(median(rootMs) - floor) },
      { module: "bound", "CPU of import": "", "over empty": "15 ms" },
    ],
    gates: [
      {
        name: "the root entry loads no package",
        ok: packages.length === 0,
        detail: packages.join(", ") || "none",
      },
      {
        name: `an import of the root entry reads at most ${maxBytes} bytes of JavaScript`,
        ok: bytes <= maxBytes,
        detail: `${bytes}`,
      },
      { name: "the root entry loads no built-in module", ok: builtIn.length === 0, detail: builtIn.join(", ") || "none" },
    ],
  }
}

function importCpuMs(url: string): number {
  const script = `const before = process.cpuUsage(); await import(${JSON.stringify(url)}); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000)`
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
  if (status !== 0) throw new Error(`importing ${url} failed:\n${stderr}`)
  return Number(stdout)
}
