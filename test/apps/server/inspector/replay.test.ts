import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { saidWith } from "../../../../src/apps/server/inspector/replay/again.ts"
import type { MakeVariant } from "../../../../src/apps/server/inspector/replay/agent-change.ts"
import type { RecordedRequest, TurnRecord } from "../../../../src/apps/server/inspector/turn-record.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { blobId, bytesToText } from "../../../../src/memory/services/store/blob.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { manualClock, type ScriptedAnswer, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { png } from "../../../support/pictures.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { contents, inspected } from "./inspected.ts"

const profile = { dialect: "layered", locale: "en", persona: "You are calm." } as const

/** A tool that counts how often it acts. */
function acting() {
  const acts: unknown[] = []
  const tool = defineTool({
    name: "act",
    description: "Acts.",
    inputSchema: z.object({ what: z.string(), times: z.number().default(1) }),
    execute: ({ what }) => {
      acts.push(what)
      return `${what} is done`
    },
  })
  return { acts, tool }
}

const call = (what: string) => callTool("act", { what })

/** Variants with another persona, whose model gives these answers. */
function variants(answers: readonly string[], tools: readonly ReturnType<typeof acting>["tool"][] = []) {
  const closed: string[] = []
  const variant: MakeVariant = ({ dialect = "layered", files = {} }) =>
    createAgent({
      profile: resolveProfile({ ...profile, dialect, memory: { enabled: false }, persona: files["fay.md"] ?? profile.persona }),
      model: scriptedModel(answers),
      tools,
      plugins: [{ name: "p", close: () => void closed.push(dialect) }],
      runJobs: false,
    })
  return { variant, closed }
}

test("a turn again has its speaker, its files with what is known of them, and all items but the agent's own", () => {
  const items = (["global", "session", "turn"] as const).map((scope) => ({ key: scope, scope }))
  const attachments = [
    { name: "kept.png", mediaType: "image/png", blob: "b1" },
    { name: "plain", blob: "b2" },
    { name: "linked.png", mediaType: "image/png", url: "https://host.test/a" },
    { name: "notes.md", mediaType: "text/markdown" },
  ]
  const speaker = { id: "ann", name: "Ann" }
  expect(saidWith({ speaker, attachments, items } as never)).toEqual({
    from: speaker,
    attachments: [
      { name: "kept.png", mediaType: "image/png", blob: "b1" },
      { name: "plain", blob: "b2" },
      { name: "linked.png", mediaType: "image/png", url: "https://host.test/a" },
      { path: "notes.md" },
    ],
    inject: items.slice(1),
  })
})

describe("a replay", () => {
  test("without the model is the first request that the changed agent would send", async () => {
    const { variant, closed } = variants([])
    const { session, post, record } = inspected([finish("one"), finish("two")], { profile, variant })
    await session.send("before").result
    const { turnId } = (await session.send("now").result).trace
    const replay = async (body: object) => (await (await post(`api/turns/${turnId}/replay`, body)).json()) as TurnRecord
    const [sent] = (await record(turnId)).requests
    const same = await replay({})
    expect(same.outcome).toEqual({ state: "previewed" })
    expect(contents(same.requests[0] as RecordedRequest)).toEqual(contents(sent as RecordedRequest))
    const wild = contents((await replay({ change: { files: { "fay.md": "You are wild." } } })).requests[0] as RecordedRequest)
    expect(wild.join()).toContain("You are wild.")
    expect(wild.join()).toContain("before")
    expect(wild.join()).not.toContain("You are calm.")
    expect((await replay({ change: { dialect: "stack" } })).requests[0]?.messages).not.toEqual(same.requests[0]?.messages)
    expect(closed).toEqual(["layered", "stack"])
  })

  test("with the model keeps nothing, and no tool acts", async () => {
    const { acts, tool } = acting()
    const answers = [call("dance"), call("sing"), finish("sung")]
    const { variant } = variants(answers, [tool])
    const store = createInMemoryStore()
    const { session, agent, post, get, record } = inspected([call("dance"), finish("danced"), finish("later")], {
      ...{ profile, variant },
      prices: { scripted: { input: 1, output: 1 } },
      agentOptions: { store, tools: [tool] },
    })
    const { turnId } = (await session.send("Dance!").result).trace
    await session.send("And?").result
    expect(acts).toEqual(["dance"])
    const stored = await store.load(session.key)
    const again = (await (await post(`api/turns/${turnId}/replay`, { run: true, change: {} })).json()) as TurnRecord
    expect(again.outcome).toMatchObject({ state: "answered" })
    expect([again.answer, again.question, again.speaker]).toEqual(["sung", "Dance!", (await record(turnId)).speaker])
    expect(again.tools.map(({ status, result }) => [status, result])).toEqual([
      ["ok", "dance is done"],
      ["failed", expect.stringContaining("a replay runs no tools")],
    ])
    expect(again.requests).toHaveLength(3)
    expect(contents(again.requests[0] as RecordedRequest)).toEqual(
      contents((await record(turnId)).requests[0] as RecordedRequest),
    )
    expect(acts).toEqual(["dance"])
    await agent.idle()
    expect(await store.load(session.key)).toEqual(stored)
    expect((await get<{ turns: unknown[] }>("api/turns")).turns).toHaveLength(2)
  })

  test("gives a prestarted tool what it had, whatever its arguments, and a call of the model only what a call had", async () => {
    const { acts, tool } = acting()
    const prestart = [{ tool: "act", args: { what: "{{question}}" } }]
    const { session, post } = inspected(
      [call("sing"), finish("sung"), call("dance"), call("sing"), call("jump"), finish("done")],
      {
        profile: { ...profile, prestart },
        agentOptions: { store: createInMemoryStore(), tools: [tool] },
      },
    )
    const { turnId } = (await session.send("Sing!").result).trace
    expect(acts).toEqual(["Sing!", "sing"])
    const again = (await (await post(`api/turns/${turnId}/replay`, { run: true })).json()) as TurnRecord
    expect(again.prestart.map(({ status, result }) => [status, result])).toEqual([["ok", "Sing! is done"]])
    const notRun = "It was not run: a replay runs no tools, and the turn has no result for these arguments."
    expect(again.tools.map(({ args, status, result }) => [args, status, result])).toEqual([
      [{ what: "dance" }, "failed", expect.stringContaining(notRun)],
      [{ what: "sing", times: 1 }, "ok", "sing is done"],
      [{ what: "jump" }, "failed", expect.stringContaining(notRun)],
    ])
    expect(acts).toEqual(["Sing!", "sing"])
  })

  test("keeps no picture that the model draws in it", async () => {
    const drawn = [1, 2].map((fill) => png(4, 4, { fill }))
    const answers = drawn.map((bytes): ScriptedAnswer => [{ type: "file", mediaType: "image/png", base64: bytesToText(bytes) }])
    const store = createInMemoryStore()
    const { session, post } = inspected(answers, { profile: { ...profile, loop: { mode: "chat" } }, agentOptions: { store } })
    const { turnId } = (await session.send("Draw!").result).trace
    const again = (await (await post(`api/turns/${turnId}/replay`, { run: true })).json()) as TurnRecord
    expect(again.outcome).toMatchObject({ state: "answered" })
    const kept = await Promise.all(drawn.map(async (bytes) => store.blobs.get(await blobId(bytes), session.key)))
    expect(kept).toEqual([drawn[0], undefined])
  })

  test.each([{}, { run: true }])("has the picture that came with the words, %j", async (body) => {
    const model = scriptedModel([finish("A cat."), finish("A cat again.")], { capabilities: { attachments: ["image/*"] } })
    const { session, post, record } = inspected([], { profile, model })
    const { turnId } = (await session.send("What is it?", { attachments: [{ bytes: png(4, 4), name: "cat.png" }] }).result).trace
    const again = (await (await post(`api/turns/${turnId}/replay`, body)).json()) as TurnRecord
    const [sent] = (await record(turnId)).requests
    expect(contents(sent as RecordedRequest).join()).toContain("cat.png")
    expect(contents(again.requests[0] as RecordedRequest)).toEqual(contents(sent as RecordedRequest))
  })

  test("is refused if the store has no bytes of such a picture", async () => {
    const { session, post } = inspected([], { profile: { ...profile, history: { keepFailed: false } }, model: scriptedModel([]) })
    const { turnId } = (await session.send("What is it?", { attachments: [{ bytes: png(4, 4) }] }).result).trace
    expect((await post(`api/turns/${turnId}/replay`, {})).status).toBe(409)
  })

  test("says where a changed file is wrong", async () => {
    const variant: MakeVariant = () => {
      throw new PromptStrataError("template", "expected a name.", {
        source: { file: "fay.md", line: 3, column: 7 },
        frame: "3 | ${",
      })
    }
    const { session, post } = inspected([finish("one")], { variant })
    const { turnId } = (await session.send("now").result).trace
    const refused = await post(`api/turns/${turnId}/replay`, { change: { files: { "fay.md": "${" } } })
    expect(refused.status).toBe(422)
    expect(await refused.json()).toEqual({
      problem: {
        code: "template",
        message: "fay.md:3:7: expected a name.\n3 | ${",
        source: { file: "fay.md", line: 3, column: 7 },
      },
    })
  })

  test("is refused for mistakes, and for a change if there are no variants", async () => {
    const { session, post } = inspected([finish("one"), finish("two")])
    const { turnId } = (await session.send("now").result).trace
    const woken = (await session.wake("sunrise").result).trace.turnId
    const status = async (id: string, body: unknown) => (await post(`api/turns/${id}/replay`, body)).status
    expect(await status(turnId, { change: {} })).toBe(403)
    for (const change of [1, [], { model: 1 }, { model: "" }, { modle: "x" }, { files: [1] }, { files: { a: 1 } }])
      expect(await status(turnId, { change })).toBe(400)
    expect(await status(turnId, { run: "yes" })).toBe(400)
    expect(await status(woken, {})).toBe(409)
    expect(await status("gone", {})).toBe(404)
  })
})

describe("a turn", () => {
  test("that is long ago is assembled again with the history that it had", async () => {
    const answers = Array.from({ length: 60 }, (_, at) => finish(`answer ${at}`))
    const history = { contextCount: 2 }
    const { session, post, record } = inspected(answers, { profile: { ...profile, history } })
    const ids: string[] = []
    for (let at = 0; at < 60; at++) ids.push((await session.send(`question ${at}`).result).trace.turnId)
    for (const at of [0, 3, 40, 58, 59]) {
      const again = (await (await post(`api/turns/${ids[at]}/preview`, {})).json()) as RecordedRequest
      expect(contents(again)).toEqual(contents((await record(ids[at] ?? "")).requests[0] as RecordedRequest))
    }
  })

  test("from the disk is assembled again, if the store still has its conversation", async () => {
    const keep = { folder: join(tempFolder(), "turns") }
    const store = createInMemoryStore()
    const setup = { profile: { ...profile, agent: { id: "fay" } }, keep }
    const first = inspected([finish("one"), finish("two")], { ...setup, agentOptions: { store } })
    await first.session.send("before").result
    const inject = [{ key: "mood", content: "Be merry." }]
    const { turnId } = (await first.session.send("now", { inject }).result).trace
    const [sent] = (await first.record(turnId)).requests
    await first.made.close()
    const own = { ports: { clock: manualClock() } }
    const next = inspected([finish("three")], { ...setup, agentOptions: { ...own, store } })
    const again = (await (await next.post(`api/turns/${turnId}/preview`, {})).json()) as RecordedRequest
    expect(contents(again)).toEqual(contents(sent as RecordedRequest))
    expect(contents(again).join()).toMatch(/before[\s\S]*Be merry\./u)
    const other = inspected([], { ...setup, agentOptions: own })
    const refused = await other.post(`api/turns/${turnId}/preview`, {})
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining("The store no longer has the turn")])
  })
})
