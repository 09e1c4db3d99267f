import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { expect, test } from "vitest"

test("a run of tests with a server ends with the code of its tests", () => {
  const program = `
    const { loadServer } = await import(${JSON.stringify(new URL("../../support/postgres-server.ts", import.meta.url).href)})
    const { copiedTo = "" } = await loadServer()
    console.log(copiedTo)
    process.exitCode = 3`
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })
  const copy = stdout.trim()
  if (copy !== "") rmSync(copy, { recursive: true, force: true })
  expect(status).toBe(3)
})
