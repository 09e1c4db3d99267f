import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, test } from "vitest"
import { openStore } from "../../../../src/adapters/stores/index.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { childEnv } from "../../../support/child-env.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import type { ApprovalWork } from "./support/approval-child.ts"

const script = fileURLToPath(new URL("./support/approval-child.ts", import.meta.url))
const children: ChildProcess[] = []
afterEach(() => children.splice(0).map((child) => child.kill("SIGKILL")))

type Line = {
  readonly text?: string
  readonly code?: string
  readonly running?: true
  readonly approvals?: readonly { id: string }[]
}

/** Starts a process over the store of a folder; `lines` are what it tells. */
function start(folder: string, work: Omit<ApprovalWork, "folder" | "marks">) {
  const settings: ApprovalWork = { folder, marks: join(folder, "marks"), ...work }
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: childEnv(),
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    next: async () => JSON.parse((await lines.next()).value ?? "{}") as Line,
    async kill() {
      child.kill("SIGKILL")
      await once(child, "exit")
    },
  }
}

/** Asks in a process, which is then killed. */
async function asked(folder: string): Promise<string> {
  const child = start(folder, { model: [callTool("pay")] })
  const { approvals } = await child.next()
  await child.kill()
  return approvals?.[0]?.id ?? ""
}

const marksOf = (folder: string) => (existsSync(join(folder, "marks")) ? readFileSync(join(folder, "marks"), "utf8") : "")

describe("an approval in an SQLite store", () => {
  test("outlives the process that asked; of two processes that allow it at the same time, one runs the call", async () => {
    const folder = tempFolder()
    const id = await asked(folder)
    expect(marksOf(folder)).toBe("")
    const both = [0, 1].map(() => start(folder, { approves: id, model: [finish("Paid.")] }))
    const ends = await Promise.all(
      both.map(async (child) => {
        const first = await child.next()
        return first.running ? child.next() : first
      }),
    )
    expect(ends.filter(({ text }) => text === "Paid.")).toHaveLength(1)
    expect(ends.filter(({ code }) => code === "approval")).toHaveLength(1)
    expect(marksOf(folder)).toBe("paid\n")
  })

  test("is never run again after a crash in the middle of the call: nobody knows its outcome, and the model is told", async () => {
    const folder = tempFolder()
    const id = await asked(folder)
    const child = start(folder, { approves: id, hangs: true, model: [] })
    expect(await child.next()).toEqual({ running: true })
    await child.kill()
    const store = await openStore(folder)
    const profile = resolveProfile({ name: "Mira", dialect: "layered", persona: "You are Mira.", locale: "en" })
    const model = scriptedModel([finish("I do not know if I paid.")])
    // The time that the call may have taken is over.
    const clock = { nowMs: () => Date.now() + 3_600_000 }
    const agent = createAgent({ profile, model, store, runJobs: false, ports: { clock } })
    const session = agent.session("home")
    expect(await session.approvals()).toMatchObject([{ id, answer: { approved: true } }])
    expect(await session.approve(id).result).toMatchObject({
      ok: false,
      error: { code: "approval", evidence: { fault: "claimed" } },
    })
    expect(await session.send("Well?").result).toMatchObject({ ok: true, text: "I do not know if I paid." })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("nobody knows whether it took effect")
    expect(await session.approve(id).result).toMatchObject({
      ok: false,
      error: { code: "approval", evidence: { fault: "answered" } },
    })
    expect(marksOf(folder)).toBe("paid\n")
    await agent.close()
    await store.close()
  })
})
