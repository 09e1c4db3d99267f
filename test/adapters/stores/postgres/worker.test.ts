import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"
import { childEnv } from "../../../support/child-env.ts"
import { makeDatabase, urlOf } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})

const main = fileURLToPath(new URL("../../../../src/apps/cli/main.ts", import.meta.url))

/** The program as a process of its own, with the demo model. */
function runProgram(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [main, ...args], {
    env: childEnv({ PROMPTSTRATA_MODEL: "demo", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const written = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (written.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (written.stderr += String(chunk)))
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string)
  return { child, written, ended }
}

/** A store that runs no jobs itself. */
function withoutWork(store: Store): Store {
  const idle = async () => undefined
  return { ...store, jobs: { start: idle, idle, close: idle, dead: () => store.jobs.dead() } }
}

describe("promptstrata worker", () => {
  test("does the work that another process' turns left, says so, and on SIGTERM ends well", async () => {
    const store = await openStoreFor(url)
    const profile = await loadProfile("fay", { locale: "en" })
    const agent = createAgent({ profile, store: withoutWork(store), model: scriptedModel([finish("Hello!")]) })
    const session = agent.session("tg:42")
    const result = await session.send("My name is Ann and I live in Oslo.").result
    await agent.close()
    expect(result).toMatchObject({ ok: true })
    const { child, written, ended } = runProgram(["worker", "fay", "--drain", "5"], { PROMPTSTRATA_STORE: url })
    await expect.poll(() => written.stdout).toMatch(/memory {2}tg:42 .* done/)
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
    expect(written.stderr).toContain("from postgres://postgres@127.0.0.1")
    expect(written.stderr).toContain("Ended. Jobs done: 1, failed attempts: 0.")
    expect(written.stderr + written.stdout).not.toContain("postgres:postgres")
    const turnId = result.ok ? result.trace.turnId : ""
    const receipts = await store.receipts.ofTurn(turnId, { ...session.key, user: session.key.conversation })
    expect(receipts.map(({ kind }) => kind)).toContain("importance")
  })

  test("works on what chat keeps in the same database", async () => {
    const { written, ended } = runProgram(["chat", "fay", "--once", "What is 2+3?", "--store", url], {})
    expect(await ended).toBe(0)
    expect(written.stdout).toContain("5")
    const store = await openStoreFor(url)
    const kept = await store.load({ agent: "fay", conversation: "terminal", audience: "private" })
    expect(kept?.history.map(({ role }) => role)).toEqual(["user", "assistant"])
  })

  test("says what it needs where there is no store, and what is wrong with the URL without its password", async () => {
    const none = runProgram(["worker", "--no-store"], {})
    expect(await none.ended).toBe(2)
    expect(none.written.stderr).toContain("A worker needs a store")
    const wrong = runProgram(["worker", "--store", urlOf("nowhere", { password: "postgres" })], {})
    expect(await wrong.ended).toBe(1)
    expect(wrong.written.stderr).toContain('createdb "nowhere"')
    expect(wrong.written.stderr).not.toContain("postgres:postgres")
  })
})
