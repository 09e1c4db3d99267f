import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BenchResult } from "./bench.ts"
import { formatMs, formatRatio, median } from "./measure.ts"

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url))
const runs = 11

/** Commands, and how many times the CPU of an empty program each may take: those that read prompts a sixth more than was measured. */
const commands: Readonly<Record<string, number>> = {
  "--version": 2,
  "--help": 3,
  "render layered": 15,
  "lint layered": 19,
}

/** CPU of the whole process of a command, beside a process of Node.js that does nothing. */
export async function run(): Promise<BenchResult> {
  if (!existsSync(program)) throw new Error("dist/cli.js is missing: run npm run build")
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-cold-"))
  try {
    writeFileSync(join(folder, "tell.cjs"), tell)
    const all = [["-e", "0"], ...Object.keys(commands).map((command) => [program, ...command.split(" ")])]
    const times = all.map((): number[] => [])
    for (let nth = 0; nth < runs; nth++) for (const [at, args] of all.entries()) times[at]?.push(processCpuMs(args, folder))
    const [floor = Number.NaN, ...ours] = times.map(median)
    const named = Object.entries(commands).map(([command, most], at) => ({ command, most, ms: ours[at] ?? Number.NaN }))
    return {
      title: `Commands in a fresh process (CPU, median of ${runs})`,
      rows: [
        { command: "node -e 0", CPU: formatMs(floor), "beside node -e 0": "", bound: "" },
        ...named.map(({ command, most, ms }) => ({
          command: `promptstrata ${command}`,
          CPU: formatMs(ms),
          "beside node -e 0": formatRatio(ms, floor),
          bound: `${most}×`,
        })),
      ],
      gates: named.map(({ command, most, ms }) => ({
        name: `promptstrata ${command} takes at most ${most} × the CPU of node -e 0`,
        ok: ms <= most * floor,
        detail: formatRatio(ms, floor),
      })),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Loaded as CommonJS, because a floor with the loader of modules in it would be too high. */
const tell = `process.on("exit", () => {
  const { user, system } = process.cpuUsage()
  process.stderr.write("\\nCPU " + (user + system) / 1000)
})`

function processCpuMs(args: readonly string[], folder: string): number {
  const given = ["--require", join(folder, "tell.cjs"), ...args]
  const { stderr, status } = spawnSync(process.execPath, given, { encoding: "utf8", cwd: folder })
  const [, ms] = /CPU ([\d.]+)$/.exec(stderr) ?? []
  if (status !== 0 || ms === undefined) throw new Error(`${args.join(" ")} failed:\n${stderr}`)
  return Number(ms)
}
