import { expect, test } from "vitest"
import { tempFolder } from "../support/temp-folder.ts"
import { plainProfile, start } from "./run.ts"

test("a worker that works with the demo model says so, and ends with 0 on SIGTERM", async () => {
  const args = ["worker", plainProfile, "--locale", "en", "--data-dir", tempFolder()]
  const worker = start(args, { env: { PROMPTSTRATA_STORE: "", PROMPTSTRATA_MODEL: "demo" } })
  await expect.poll(() => worker.written.stderr).toContain("SIGTERM")
  for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve))
  expect(worker.written.stderr).not.toContain("Ended.")
  worker.terminate()
  expect(await worker.code).toBe(0)
  expect(worker.written.stderr).toMatch(/demo.*Ended\./s)
})
