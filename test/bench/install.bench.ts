import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BenchResult, Row } from "./bench.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The requirements. */
const mostMb = 36
const mostPackages = 24

interface Locked {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly optional?: boolean
  readonly peer?: boolean
}

/** Bytes and packages of `npm install promptstrata`, optional peers apart: the files of each locked package, and those that are packed. */
export async function run(): Promise<BenchResult> {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const installed = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional, optional, peer }]) => path !== "" && !dev && !devOptional && !optional && !peer)
    .map(([path]) => ({ name: path.replace("node_modules/", ""), bytes: bytesOf(join(root, path)) }))
  const all = [...installed, { name: "promptstrata", bytes: packedBytes() }].sort((a, b) => b.bytes - a.bytes)
  const mb = all.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6
  const shown = all.slice(0, 6)
  const rest = all.slice(shown.length)
  const row = (name: string, size: number, bound = ""): Row => ({ package: name, MB: size.toFixed(2), bound })
  return {
    title: `What an installation takes (${all.length} packages)`,
    rows: [
      ...shown.map(({ name, bytes }) => row(name, bytes / 1e6)),
      row(`${rest.length} others`, rest.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6),
      row("all", mb, `${mostMb}`),
    ],
    gates: [
      { name: `an installation takes at most ${mostMb} MB`, ok: mb <= mostMb, detail: mb.toFixed(1) },
      { name: `an installation has at most ${mostPackages} packages`, ok: all.length <= mostPackages, detail: `${all.length}` },
    ],
  }
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    // A nested package has an entry of its own in the lock.
    if (entry.isDirectory()) return entry.name === "node_modules" ? sum : sum + bytesOf(path)
    return sum + statSync(path).size
  }, 0)
}

/** The bytes of our own package, as npm would unpack it. */
function packedBytes(): number {
  const json = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    ...{ cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  })
  const [{ unpackedSize }] = JSON.parse(json) as [{ readonly unpackedSize: number }]
  return unpackedSize
}
