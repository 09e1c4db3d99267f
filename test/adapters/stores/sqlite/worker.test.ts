import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { storeFile } from "../../../../src/adapters/stores/sqlite/store-file.ts"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import { childEnv } from "../../../support/child-env.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const main = fileURLToPath(new URL("../../../../src/apps/cli/main.ts", import.meta.url))

test("promptstrata worker waits for work that comes to a file later, does it, and on SIGTERM ends well", async () => {
  const folder = tempFolder()
  const child = spawn(process.execPath, [main, "worker", "fay", "--store", folder], {
    env: childEnv({ PROMPTSTRATA_MODEL: "demo" }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const written = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (written.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (written.stderr += String(chunk)))
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string)
  await expect.poll(() => written.stderr).toMatch(/background work of/)
  const store = await openSqliteStore(storeFile(folder))
  const { agent } = await loadProfile("fay")
  const key = { agent: agent.id, conversation: "tg:42", audience: "private", user: "ann" } as const
  const job = { id: "late", kind: "memory", key, turnId: "gone", atMs: 1, payload: {} }
  await store.commit(key, { expectVersion: 0, append: [], state: {}, jobs: [job] })
  await store.close()
  await expect.poll(() => written.stdout).toMatch(/memory {2}tg:42 {2}gone /)
  child.kill("SIGTERM")
  expect(await ended).toBe(0)
  expect(written.stderr).toContain("Ended.")
})
