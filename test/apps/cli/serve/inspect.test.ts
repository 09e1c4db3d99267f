import { writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import type { ShownDocuments } from "../../../../src/apps/server/inspector/documents/documents.ts"
import type { TurnRecord, TurnSummary } from "../../../../src/apps/server/inspector/turn-record.ts"
import type { LanguageModel } from "../../../../src/core/model/language-model.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"
import { near } from "../../../support/error-formulas.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
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

  test("plays a turn again by an agent of another dialect, model or profile", async () => {
    const { address, list, interrupt, code } = await inspecting(
      ["inspect", plainProfile, "--no-store"],
      scriptedModel([finish("Hello."), finish("Hello again.")]),
    )
    await fetch(`${address}api/chat`, { method: "POST", body: '{"text":"hi"}' })
    await expect.poll(list).toMatchObject([{ answer: "Hello." }])
    const [turn] = await list()
    const replay = async (body: object) => {
      const response = await fetch(`${address}api/turns/${turn?.id}/replay`, { method: "POST", body: JSON.stringify(body) })
      return [response.status, (await response.json()) as TurnRecord & { problem: Error & { code: string } }] as const
    }
    const textOf = ([, record]: readonly [number, TurnRecord]) => JSON.stringify(record.requests[0]?.messages)
    const same = textOf(await replay({}))
    expect(textOf(await replay({ change: {} }))).toBe(same)
    for (const change of [{ dialect: "stack" }, { profile: "layered" }]) {
      const found = textOf(await replay({ change }))
      expect(found).not.toBe(same)
      expect(found).toContain("hi")
    }
    expect(await replay({ change: { model: "any" }, run: true })).toMatchObject([200, { answer: "Hello again." }])
    const [status, { problem }] = await replay({ change: { dialect: "fey" } })
    expect([status, problem.code, problem.message]).toEqual([422, "profile", expect.stringContaining(near("fay"))])
    expect(await list()).toHaveLength(1)
    interrupt()
    expect(await code).toBe(0)
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

describe("the documents of a profile", () => {
  test("are on the page before there is one; the first is undone by it", async () => {
    const folder = tempFolder()
    const call = { action: "tool", tool: "write", args: { path: "MEMORY.md", content: "Ann likes tea." } }
    const { address, list, interrupt, code } = await inspecting(
      ["inspect", "soul", "--locale", "en", "--data-dir", folder],
      scriptedModel([JSON.stringify(call), finish("Noted.")]),
    )
    const documents = async () => (await (await fetch(`${address}api/documents`)).json()) as ShownDocuments
    expect((await documents()).files.map(({ path, hash }) => [path, hash])).toEqual([
      ["SOUL.md", undefined],
      ["USER.md", undefined],
      ["MEMORY.md", undefined],
    ])
    await fetch(`${address}api/chat`, { method: "POST", body: '{"text":"I like tea."}' })
    await expect.poll(list).toMatchObject([{ answer: "Noted." }])
    const memory = (await documents()).files.find(({ path }) => path === "MEMORY.md")
    expect(memory).toMatchObject({ text: "Ann likes tea.", changes: [{ id: "1", kind: "created" }] })
    const body = JSON.stringify({ id: "1", hash: memory?.hash })
    expect((await fetch(`${address}api/documents/undo`, { method: "POST", body })).status).toBe(200)
    expect((await documents()).files.find(({ path }) => path === "MEMORY.md")).not.toHaveProperty("hash")
    interrupt()
    await code
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

/** A model that tells its tokens and waits for `held` before it answers. */
function pricedModel(held: Promise<void> = Promise.resolve()): LanguageModel {
  return {
    ...scriptedModel([]),
    id: "openai:fay-1",
    async *stream() {
      await held
      yield { type: "text-delta", delta: finish("Hello.") }
      yield { type: "usage", usage: { inputTokens: 1_000, outputTokens: 100 } }
      yield { type: "finish", reason: "stop" }
    },
  }
}

describe("the prices of a file", () => {
  const fileOf = (text: string) => {
    const path = `${tempFolder()}/prices.json`
    writeFileSync(path, text)
    return path
  }
  const prices = '{ "openai:fay-1": { "input": 2, "output": 10 } }'

  test("give money to turns", async () => {
    const shown = await inspecting(["inspect", plainProfile, "--no-store", "--prices", fileOf(prices)], pricedModel())
    await fetch(`${shown.address}api/chat`, { method: "POST", body: '{"text":"hi"}' })
    await expect.poll(shown.list).toMatchObject([{ cost: 0.003 }])
    shown.interrupt()
    await shown.code
  })

  const cases: readonly (readonly [string, string | undefined, string])[] = [
    ["no file", undefined, "ENOENT"],
    ["no JSON", "{", "Expected a JSON file with prices"],
    ["a list", "[]", "prices.json:1:1 to name models, found []"],
    ["no price", '{ "a": 1 }', "to have `input` and `output`, found 1"],
    ["a price of less than nothing", '{ "a": { "input": -1, "output": 1 } }', "a number from 0 as `input`, found -1"],
    ["one that is missing", '{ "a": { "input": 1 } }', "a number from 0 as `output`, found nothing"],
    [
      "a misspelt one",
      '{ "a": { "input": 1, "output": 1, "cached": 1 } }',
      'input, output, cacheRead, cacheWrite, asOf, found "cached"',
    ],
  ]
  test.each(cases)("are refused if there is %s", async (_, text, told) => {
    const path = text === undefined ? `${tempFolder()}/none.json` : fileOf(text)
    for (const command of [["inspect"], ["chat", "--inspect"]]) {
      const { code, stderr } = await run([...command, plainProfile, "--no-store", "--prices", path])
      expect([code, stderr]).toEqual([2, expect.stringContaining(told)])
      expect(stderr).toContain(path.slice(-11))
    }
  })

  test("need the page", async () => {
    const { code, stderr } = await run(["chat", plainProfile, "--no-store", "--prices", fileOf(prices)])
    expect([code, stderr]).toEqual([2, expect.stringContaining("expected --inspect beside --prices")])
  })
})

describe("chat --inspect", () => {
  test("prints the address of a page that shows the chat's turns", async () => {
    const held = Promise.withResolvers<void>()
    const { list, code } = await inspecting(
      ["chat", plainProfile, "--no-store", "--inspect", "--once", "hi"],
      pricedModel(held.promise),
    )
    await expect.poll(list).toMatchObject([{ question: "hi", outcome: { state: "running" } }])
    held.resolve()
    expect(await code).toBe(0)
  })

  test("edits the profile's files, and asks another agent", async () => {
    const held = Promise.withResolvers<void>()
    const { address, list, code, written } = await inspecting(
      ["chat", "fay", "--locale", "en", "--data-dir", tempFolder(), "--inspect", "--once", "hi"],
      pricedModel(held.promise),
    )
    expect(written.stdout + written.stderr).toMatch(new RegExp(`What is sent is shown at\\s+${address}`))
    const get = async (path: string) => (await fetch(`${address}api/${path}`)).json()
    await expect.poll(list).toMatchObject([{ question: "hi" }])
    expect(await get("info")).toMatchObject({ edits: true, variants: true })
    expect(JSON.stringify(await get("files"))).toContain("characters/en/fay.md")
    held.resolve()
    expect(await code).toBe(0)
  })
})
