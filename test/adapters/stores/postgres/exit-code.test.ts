import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { expect, test } from "vitest"
import { childEnv } from "../../../support/child-env.ts"

test.each(["process.exitCode = 3", "process.exit(3)"])(
  "a run of tests with a server ends with the code of its tests: %s",
  (end) => {
    const program = `
    const { loadServer } = await import(${JSON.stringify(new URL("../../../support/postgres-server.ts", import.meta.url).href)})
    const { copiedTo = "" } = await loadServer()
    console.log(copiedTo)
    ${end}`
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
      env: childEnv(),
    })
    const copy = stdout.trim()
    if (copy !== "") rmSync(copy, { recursive: true, force: true })
    expect([status, stderr]).toEqual([3, ""])
  },
)
