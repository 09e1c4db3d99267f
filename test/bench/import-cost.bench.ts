import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { modulesLoadedBy, packagesAmong } from "../support/loaded-modules.ts"
import type { BenchOptions, BenchResult } from "./bench.ts"
import { formatMs, formatRatio, median, ratioGate } from "./measure.ts"

const built = fileURLToPath(new URL("../../dist/index.js", import.meta.url))
const builtNode = fileURLToPath(new URL("../../dist/node.js", import.meta.url))
const runs = 15

/** The entry for Node.js, which reads profiles, to what an app of the AI SDK imports. */
const maxNodeToPeer = 0.5
/** The root entry to the same: more than is measured, and less than twice as much. */
const maxRootToPeer = 0.22
const tries = 3
/** The packages that every profile needs. Others are loaded by the files that need them. */
const nodePackages = ["smol-toml"]

/** Compiling takes most of an import's time: what is read stands for it, and does not depend on the machine. */
const maxBytes = 258_000

/** Libraries that an agent app imports in our place. */
const peerNames = ["@openai/agents", "@langchain/core/messages"]

/** CPU of importing the built entries in a fresh process, beside an empty module and the peers; the gates are what gets loaded, and a ratio. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  if (!existsSync(built)) throw new Error("dist/index.js is missing: run npm run build")
  const modules = new Map([
    ["empty", "data:text/javascript,"],
    ["promptstrata", pathToFileURL(built).href],
    ["promptstrata/node", pathToFileURL(builtNode).href],
    ["ai", import.meta.resolve("ai")],
    ...(peers ? peerNames : []).map((name): [string, string] => [name, import.meta.resolve(name)]),
  ])
  const times = new Map([...modules.keys()].map((name): [string, number[]] => [name, []]))
  // In turns, so that a busy moment of the machine falls on all of them.
  const measure = (): void => {
    for (let i = 0; i < runs; i++) for (const [name, url] of modules) times.get(name)?.push(importCpuMs(url))
  }
  measure()
  const medianOf = (name: string): number => median(times.get(name) ?? [])
  const loaded = modulesLoadedBy(built)
  const packages = packagesAmong(loaded)
  const builtIn = loaded.filter((url) => url.startsWith("node:"))
  const bytes = loaded.filter((url) => url.startsWith("file:")).reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0)
  const toPeer = (): number => (medianOf("promptstrata/node") - medianOf("empty")) / (medianOf("ai") - medianOf("empty"))
  for (let i = 1; i < tries && toPeer() > maxNodeToPeer; i++) measure()
  const ofNode = packagesAmong(modulesLoadedBy(builtNode))
  const floor = medianOf("empty")
  const ours = medianOf("promptstrata") - floor
  return {
    title: `Import of the root entry (${loaded.length} modules, median of ${runs} fresh processes)`,
    rows: [...modules.keys()].map((name) => ({
      module: name,
      "CPU of import": formatMs(medianOf(name)),
      "over empty": name === "empty" ? "" : formatMs(medianOf(name) - floor),
      "beside ours": name === "empty" ? "" : formatRatio(medianOf(name) - floor, ours),
    })),
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
      ratioGate("an import of the root entry, beside one of ai", [ours, medianOf("ai") - floor], maxRootToPeer),
      {
        name: `an import of promptstrata/node takes at most ${maxNodeToPeer} of the CPU of an import of ai`,
        ok: toPeer() <= maxNodeToPeer,
        detail: toPeer().toFixed(2),
      },
      {
        name: `promptstrata/node loads only ${nodePackages.join(" and ")} of all packages`,
        ok: ofNode.every((name) => nodePackages.includes(name)),
        detail: ofNode.join(", ") || "none",
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
