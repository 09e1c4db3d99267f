import { writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import type { AgentComparison } from "../../../../src/apps/server/inspector/compare/compare-agents.ts"
import { inspector } from "../../../../src/apps/server/inspector/inspector.ts"
import type { TurnSummary } from "../../../../src/apps/server/inspector/turn-record.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import type { PromptText, SourceFile } from "../../../../src/profile/prompt-files.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"
import { near } from "../../../support/error-formulas.ts"
import { editing, persona } from "./editing.ts"
import { inspected } from "./inspected.ts"

describe("the files of the inspector", () => {
  test("are listed, read, saved, and restored; the page's next message uses what was saved", async () => {
    const { ask, path, text, agent, made } = await editing([finish("one"), finish("two"), finish("three")])
    const { files } = await ask<{ files: SourceFile[] }>("files")
    expect(files.find((file) => file.path === path)).toMatchObject({ kind: "persona", isShipped: false, savedAs: path })
    const chat = async (words: string) => {
      const { turn } = await ask<{ turn: string }>("chat", { text: words })
      await agent.idle()
      return JSON.stringify((await made.record(turn))?.requests[0]?.messages)
    }
    expect(await chat("one")).toContain("You are calm.")
    const { hash, canUndo } = await ask<PromptText>("files/read", { path })
    expect(canUndo).toBe(false)
    const saved = await ask("files/save", { path, hash, text: "You are wild.\n" })
    expect(saved).toEqual({ status: 200, path, written: [path], isLive: true })
    const second = await chat("two")
    expect(second).toContain("You are wild.")
    expect(second).toContain('"one"')
    expect(await ask("files/undo", { path })).toMatchObject({ status: 200, isLive: true })
    expect(text()).toBe(persona)
    expect(await chat("three")).toContain("You are calm.")
  })

  test("show at once what a text does to a request, and where it is wrong", async () => {
    const { ask, path, say, text } = await editing([finish("one")])
    const turn = await say("Hello")
    const edited = (name: string, text: string) => ask<AgentComparison>("compare", { turn, right: { files: { [name]: text } } })
    const effect = await edited(path, "You are calm and never shout.\n")
    expect(effect).toMatchObject({ status: 200, request: { change: { outcome: "changed", cause: { key: "persona" } } } })
    expect(effect.estimates.b.readTokens).toBeGreaterThan(effect.estimates.a.readTokens)
    const { lostTokens = 0, lostCost } = effect.request?.change ?? {}
    expect(lostCost).toBeCloseTo((lostTokens * 9) / 1_000_000)
    expect(lostTokens).toBeGreaterThan(0)
    expect(effect.request?.layers.find(({ key }) => key === "persona")).toMatchObject({ a: expect.any(Number) })
    expect((await edited(path, persona)).request?.change.outcome).toBe("none")
    for (let length = 0; length <= persona.length; length++) {
      const { status } = await edited(path, persona.slice(0, length))
      expect([200, 422]).toContain(status)
    }
    expect(await edited(path, "---\nnmae: Luna\n---\n")).toMatchObject({
      status: 422,
      problem: { message: expect.stringContaining(near("name")), source: { file: path, line: 2, column: 1 } },
    })
    const planner = "layered/en/planner.md"
    const { text: prompt } = await ask<PromptText>("files/read", { path: planner })
    expect(await edited(planner, `${prompt}\nOutside of a message.`)).toMatchObject({
      status: 422,
      problem: { source: { file: planner, line: prompt.split("\n").length + 1 } },
    })
    expect(text()).toBe(persona)
  })

  test("are not saved with a mistake, nor over a text that nobody read", async () => {
    const { ask, path, text } = await editing()
    const { hash } = await ask<PromptText>("files/read", { path })
    const wrong = await ask("files/save", { path, hash, text: "---\nnmae: Luna\n---\n" })
    expect(wrong).toMatchObject({ status: 422, problem: { source: { file: path, line: 2 } } })
    const planner = await ask<PromptText>("files/read", { path: "layered/en/planner.md" })
    const outside = { path: "layered/en/planner.md", hash: planner.hash, text: `${planner.text}\nOutside.` }
    expect((await ask("files/save", outside)).status).toBe(422)
    writeFileSync(path, "By hand.\n")
    expect(await ask("files/save", { path, hash, text: "You are wild.\n" })).toMatchObject({
      status: 409,
      problem: { message: expect.stringContaining("changed since") },
    })
    expect(text()).toBe("By hand.\n")
  })

  test("that hold what looks like a key are neither shown nor lost", async () => {
    const { fetch, path } = await editing()
    writeFileSync(path, `You know sk-${"a1B2".repeat(12)}.\n`)
    const refused = await fetch("files/read", { path })
    const body = await refused.text()
    expect([refused.status, body.includes("a1B2")]).toEqual([409, false])
    expect(body).toContain("looks like a key")
  })

  test("say why they cannot be read or taken back", async () => {
    const { ask, path } = await editing()
    const none =
      "Expected a change of prompts/characters/en/luna.md in the history, found none.\nOnly the newest changes are kept."
    expect(await ask("files/undo", { path })).toMatchObject({ status: 404, problem: { message: none } })
    writeFileSync(path, Buffer.from([0x61, 0x0a, 0xff, 0xff]))
    const message = expect.stringContaining(":2:1: expected UTF-8 text, found the byte 0xff")
    expect(await ask("files/read", { path })).toMatchObject({ status: 422, problem: { message } })
  })

  test("cannot be reached by other names, other pages, other hosts, or with a body without end", async () => {
    const { ask, fetch, made, path, text } = await editing()
    for (const name of [
      "../../etc/passwd",
      "/etc/passwd",
      "prompts/characters/en/luna.md/../luna.md",
      "",
      "C:\\x",
      `${path}\0`,
    ]) {
      expect((await ask("files/read", { path: name })).status).toBe(404)
      expect((await ask("files/save", { path: name, text: "x", hash: "x" })).status).toBe(422)
      expect((await ask("files/undo", { path: name })).status).toBe(404)
    }
    for (const body of [{}, { path: 1 }, { path: [path] }]) expect((await ask("files/read", body)).status).toBe(400)
    expect((await fetch("files", undefined, { origin: "https://evil.example" })).status).toBe(403)
    expect((await fetch("files/save", { path }, { "sec-fetch-site": "cross-site" })).status).toBe(403)
    const rebound = new Request(`http://evil.example/${made.token}/api/files`)
    expect((await made.fetch(rebound)).status).toBe(403)
    expect((await made.fetch(new Request("http://127.0.0.1:1/0123456789abcdef0/api/files"))).status).toBe(404)
    let sent = 0
    const endless = new ReadableStream({
      pull(controller) {
        sent += 1_000_000
        controller.enqueue(new Uint8Array(1_000_000).fill(32))
        if (sent >= 100_000_000) controller.close()
      },
    })
    const init = { method: "POST", body: endless, duplex: "half" } as RequestInit
    const large = await made.fetch(new Request(`http://127.0.0.1:1/${made.token}/api/files/save`, init))
    expect(large.status).toBe(413)
    expect(sent).toBeLessThan(10_000_000)
    const { hash } = await ask<PromptText>("files/read", { path })
    expect((await ask("files/save", { path, hash, text: "x".repeat(2_000_000) })).status).toBe(422)
    expect(text()).toBe(persona)
  })

  test("are not there unless the inspector is given them", async () => {
    const { get, fetch, post } = inspected([])
    expect(await get("api/info")).toMatchObject({ edits: false })
    expect((await fetch("api/files")).status).toBe(404)
    for (const path of ["api/files/read", "api/files/save", "api/files/undo"])
      expect((await post(path, { path: "x", text: "x", hash: "x" })).status).toBe(404)
    const files = { list: async () => [] } as never
    expect(() => inspected([], { files })).toThrow("expected `variant` beside `files`")
  })

  test("of a fixed profile are saved, and the page says that they are not used yet", async () => {
    const { watch, path } = await editing()
    const shared = { model: scriptedModel([]), runJobs: false }
    const agent = createAgent({ ...shared, profile: watch.profile })
    const made = inspector(agent, {
      files: watch.promptFiles,
      variant: async (change) => createAgent({ ...shared, profile: await watch.promptFiles.load(change) }),
    })
    const post = async (name: string, body: object) =>
      (await made
        .fetch(new Request(`http://127.0.0.1:1/${made.token}/api/${name}`, { method: "POST", body: JSON.stringify(body) }))
        .then((response) => response.json())) as PromptText & { isLive: boolean }
    const { hash } = await post("files/read", { path })
    expect(await post("files/save", { path, hash, text: "You are wild.\n" })).toMatchObject({ isLive: false })
  })
})

describe("a replay of an edit", () => {
  test("answers with the old and the new text", async () => {
    const { ask, path, say } = await editing([finish("one"), finish("old"), finish("new")])
    const turn = await say("Hello")
    const again = (change?: object) =>
      ask<TurnSummary & { requests: { messages: object[] }[] }>(`turns/${turn}/replay`, { run: true, change })
    const old = await again()
    const edited = await again({ files: { [path]: "You are wild.\n" } })
    expect([old.answer, edited.answer]).toEqual(["old", "new"])
    expect(JSON.stringify(old.requests[0]?.messages)).toContain("calm")
    expect(JSON.stringify(edited.requests[0]?.messages)).toContain("wild")
  })
})
