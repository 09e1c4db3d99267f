import { execFile, fork } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { BenchResult } from "./bench.ts"
import { formatMs, formatRatio, median } from "./measure.ts"

const runs = 11
const wanted = 0.8
/** A third more than was measured. */
const most = 1.6

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const programs = {
  nothing: { file: "first-turn/nothing.mjs", dialect: "" },
  "by hand on the AI SDK": { file: "first-turn/by-hand.mjs", dialect: "" },
  "promptstrata, layered": { file: "first-turn/ours.mjs", dialect: "layered" },
  "promptstrata, fay": { file: "first-turn/ours.mjs", dialect: "fay" },
} as const
type Name = keyof typeof programs

/**
 * The first turn of a fresh process, to its end: from the imports to the answer that is stored, a tool call in it, with SQLite and a model
 * server in a process of its own. CPU of the whole process until then.
 */
export async function run(): Promise<BenchResult> {
  if (!existsSync(pathOf("../../dist/index.js"))) throw new Error("dist is missing: run npm run build")
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-first-turn-"))
  const server = fork(pathOf("day/model-server.ts"))
  try {
    const [port] = await once(server, "message")
    const names = Object.keys(programs) as Name[]
    const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
    for (let nth = 0; nth < runs; nth++)
      for (const name of names) times[name].push(await cpuMsOf(name, { url: `http://127.0.0.1:${String(port)}/v1`, folder }))
    const beyond = (name: Name): number => median(times[name]) - median(times.nothing)
    const byHand = beyond("by hand on the AI SDK")
    const ours = ["promptstrata, layered", "promptstrata, fay"] as const
    return {
      title: `The first turn of a fresh process, with SQLite and a tool call (CPU beyond an empty program, medians of ${runs})`,
      rows: (["by hand on the AI SDK", ...ours] as const).map((name) => ({
        who: name,
        CPU: formatMs(beyond(name)),
        ratio: formatRatio(beyond(name), byHand),
      })),
      gates: ours.map((name) => ({
        name: `${name}: at most ${most} × what the AI SDK takes (wanted: ${wanted})`,
        ok: beyond(name) <= most * byHand,
        detail: formatRatio(beyond(name), byHand),
      })),
    }
  } finally {
    server.kill()
    rmSync(folder, { recursive: true })
  }
}

/** Each process has a folder of its own, so that the file of the store is made there as well. */
async function cpuMsOf(name: Name, { url, folder }: { readonly url: string; readonly folder: string }): Promise<number> {
  const own = mkdtempSync(join(folder, "turn-"))
  const { file, dialect } = programs[name]
  const args = [pathOf(file), url, own, dialect]
  const { stdout } = await promisify(execFile)(process.execPath, args, { encoding: "utf8" })
  const [, ms] = /CPU ([\d.]+)$/.exec(stdout.trim()) ?? []
  if (ms === undefined || (name !== "nothing" && !stdout.includes("a pot of the smoky one")))
    throw new Error(`expected an answer and its CPU, found: ${stdout}`)
  return Number(ms)
}
