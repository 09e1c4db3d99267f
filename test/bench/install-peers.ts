import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

/** Installs the peers of `test/bench/package.json` where they are missing; what npm says goes to stderr, so that stdout is the tables alone. */
export function installPeers(): void {
  const script = fileURLToPath(new URL("../../.ci/ensure-installed.mjs", import.meta.url))
  const { status } = spawnSync(process.execPath, [script, "test/bench"], { stdio: ["ignore", 2, 2] })
  if (status !== 0) console.error("The peers to measure against could not be installed; what needs them is skipped.")
}
