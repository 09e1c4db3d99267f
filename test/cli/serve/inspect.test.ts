import { describe, expect, test } from "vitest"
import type { LanguageModel } from "../../../src/model/language-model.ts"
import type { TurnSummary } from "../../../src/server/inspector/turn-record.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { plainProfile, run, start } from "../run.ts"

/** Starts a command; resolves with the address that it prints. */
async function inspecting(args: readonly string[], model: LanguageModel) {
  const started = start(args, { model, terminal: true })
  await started.shows("/\n")
  const address = /http:\/\/\S+\//u.exec(started.written.stdout + started.written.stderr)?.[0] ?? ""
  const list = async () => ((await (await fetch(`${address}api/turns`)).json()) as { turns: TurnSummary[] }).turns
  return { ...started, address, list }
}

describe("promptstrata inspect", () => {
  test("prints an address that nobody can guess, answers there, and ends at Ctrl-C", async () => {
    const { address, list, interrupt, code, written } = await inspecting(
      ["inspect", plainProfile, "--no-store"],
      scriptedModel([finish("Hello.")]),
    )
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/u)
    const sent = await fetch(`${address}api/chat`, { method: "POST", body: '{"text":"hi"}' })
    expect(sent.status).toBe(200)
    await expect.poll(list).toMatchObject([{ question: "hi", answer: "Hello.", session: { conversation: "terminal" } }])
    interrupt()
    expect(await code).toBe(0)
    expect(written.stdout).toContain("Ended.")
  })

  test("says which port is taken", async () => {
    const first = await inspecting(["inspect", plainProfile, "--no-store"], scriptedModel([]))
    const { code, stderr } = await run(["inspect", plainProfile, "--no-store", "--port", new URL(first.address).port])
    expect(code).toBe(2)
    expect(stderr).toContain("another program listens there")
    first.interrupt()
    await first.code
  })
})

describe("promptstrata inspect --keep", () => {
  test("shows the turns of the last time; memory forget deletes them, also those of no store", async () => {
    const folder = tempFolder()
    const data = ["--data-dir", folder, "--store", folder]
    const turns = async () => {
      const { list, interrupt, code } = await inspecting(["inspect", plainProfile, "--keep", ...data], scriptedModel([]))
      const found = await list()
      interrupt()
      await code
      return found
    }
    const first = await inspecting(["inspect", plainProfile, "--keep", ...data], scriptedModel([finish("Hello.")]))
    await fetch(`${first.address}api/chat`, { method: "POST", body: '{"text":"canary"}' })
    await expect.poll(first.list).toMatchObject([{ answer: "Hello." }])
    first.interrupt()
    await first.code
    expect(await turns()).toMatchObject([{ question: "canary", answer: "Hello." }])
    const forgotten = await run(["memory", "forget", "--profile", plainProfile, "--yes", ...data])
    expect(forgotten.stderr).toContain("Deleted 1 turn that inspect --keep had kept.")
    expect(await turns()).toEqual([])
  })
})

describe("chat --inspect", () => {
  test("prints the address of a page that shows the chat's turns", async () => {
    const held = Promise.withResolvers<void>()
    const model: LanguageModel = {
      ...scriptedModel([]),
      async *stream() {
        await held.promise
        yield { type: "text-delta", delta: finish("Hello.") }
        yield { type: "finish", reason: "stop" }
      },
    }
    const { list, code } = await inspecting(["chat", plainProfile, "--no-store", "--inspect", "--once", "hi"], model)
    await expect.poll(list).toMatchObject([{ question: "hi", outcome: { state: "running" } }])
    held.resolve()
    expect(await code).toBe(0)
  })
})
