import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { ModelPart, ModelRequest } from "../../../src/core/model/language-model.ts"
import { blobId } from "../../../src/memory/services/store/blob.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import type { TurnEvent } from "../../../src/trace/turn-event.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"
import { png } from "../../support/pictures.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const english = { dialect: "layered", locale: "en", timeZone: "UTC", memory: { enabled: false } } as const
const seeing = { attachments: ["image/*"], pictureTokens: () => 500 }
const chat = { ...english, loop: { mode: "chat" } } as const
const key = { agent: "test", conversation: "test", audience: "private" } as const

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")
const drawn = (bytes: Uint8Array, mediaType = "image/png"): ModelPart => ({ type: "file", mediaType, base64: base64(bytes) })

const cat = png(64, 48, { bytes: 5_000, fill: 3 })
const catId = await blobId(cat)
const catName = `image-${catId.slice(0, 8)}.png`
const catFile = { path: catName, mediaType: "image/png", bytes: cat.length, base64: base64(cat), blob: catId }
const catAttachment = { name: catName, mediaType: "image/png", blob: catId, sizeBytes: cat.length, width: 64, height: 48 }

const partsOf = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ role, content, parts = [] }) =>
    parts.map(({ end, attachment, bytes }) => ({ role, before: content.slice(0, end), name: attachment.name, bytes })),
  )
const textOf = (request: ModelRequest | undefined) => (request?.messages ?? []).map(({ content }) => content).join("\n")

/** What a bot would show, in order. */
function shown(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "bubble" ? [event.text] : event.type === "attachment" ? [`[${event.attachment.mediaType}]`] : [],
  )
}

async function exported(store: Store): Promise<string[]> {
  return collect(store.export({ agent: "test" }))
}

describe("a picture that the model draws", () => {
  const modes: readonly (readonly [string, object, readonly ScriptedStep[]])[] = [
    ["chat", chat, [[drawn(cat)]]],
    ["JSON decisions", english, [[drawn(cat)]]],
    ["a JSON decision without a message", english, [['{"action":"finish"}', drawn(cat)]]],
    ["native calls", { ...english, loop: { mode: "native" } }, [[drawn(cat)]]],
  ]

  test.each(modes)("alone is an answer, in %s: no final output is asked for", async (_, profile, steps) => {
    const store = createInMemoryStore()
    const model = scriptedModel(steps, { capabilities: { ...seeing, tools: true } })
    const { session } = testAgent(model, profile, { store })
    const turn = session.send("Draw a cat.")
    expect(shown(await collect(turn))).toEqual(["[image/png]"])
    expect(await turn.result).toMatchObject({ ok: true, text: "", stopReason: "finish", attachments: [catFile] })
    expect(model.requests).toHaveLength(1)
    expect((await session.history())[1]).toMatchObject({ role: "assistant", text: "", attachments: [catAttachment] })
    expect(await store.blobs.get(catId, key)).toEqual(cat)
  })

  test("is an answer of a turn in which nobody spoke, too", async () => {
    const { session } = testAgent(scriptedModel([[drawn(cat)]]), chat)
    expect(await session.wake("It is morning.").result).toMatchObject({ ok: true, attachments: [catFile] })
    expect(await session.history()).toMatchObject([{ role: "assistant", attachments: [catAttachment] }])
  })

  test("stands where the model drew it: the words before it are a bubble, and those behind it another one", async () => {
    const dog = png(5, 5)
    const { session } = testAgent(scriptedModel([["Here is ", "a cat:", drawn(cat), "And a dog:", drawn(dog), "Well?"]]), chat)
    const turn = session.send("Draw.")
    expect(shown(await collect(turn))).toEqual(["Here is a cat:", "[image/png]", "And a dog:", "[image/png]", "Well?"])
    expect(await turn.result).toMatchObject({ text: "Here is a cat:\n\nAnd a dog:\n\nWell?", attachments: [{}, {}] })
    expect((await session.history())[1]?.attachments).toHaveLength(2)
  })

  test("comes before the words if it was drawn first", async () => {
    const { session } = testAgent(scriptedModel([[drawn(cat), "A cat."]]), chat)
    expect(shown(await collect(session.send("Draw.")))).toEqual(["[image/png]", "A cat."])
  })

  test("is kept in the order in which they were drawn, also if a later one is read sooner", async () => {
    const [large, small] = [png(64, 64, { bytes: 12_000_000, fill: 3 }), png(5, 5)]
    const { session } = testAgent(scriptedModel([[drawn(large), drawn(small)]]), chat)
    await session.send("Draw.").result
    const [, answer] = await session.history()
    expect(answer?.attachments?.map(({ sizeBytes }) => sizeBytes)).toEqual([large.length, small.length])
  })

  test("is shown once: a request that broke off behind it is not sent again, also where the answer is a value", async () => {
    const failure = new PromptStrataError("model", "overloaded", { evidence: { kind: "server", isRetryable: true } })
    const model = scriptedModel([
      [drawn(cat), failure],
      ['{"a":1}', drawn(cat)],
    ])
    // The wait before a retry is short, and no limit is reached.
    const timers = { set: (run: () => void, ms: number) => ms < 10 && setImmediate(run), clear: () => undefined }
    const retry = { maxAttempts: 3, baseDelayMs: 1 }
    const { session } = testAgent(model, { ...chat, retry }, { ports: { timers } })
    const turn = session.send("Draw.", { output: z.object({ a: z.number() }) })
    expect(shown(await collect(turn))).toEqual(["[image/png]"])
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "model" } })
  })

  test("beside a decision or a call belongs to the answer, and the turn goes on", async () => {
    const clock = defineTool({ name: "clock", description: "time", execute: () => "11:04" })
    const model = scriptedModel([[callTool("clock"), drawn(cat)], finish("It is 11:04.")])
    const { session } = testAgent(model, english, { tools: [clock] })
    const result = await session.send("Draw a clock.").result
    expect(result).toMatchObject({ ok: true, text: "It is 11:04.", attachments: [catFile] })
  })

  test.each(["layered", "fay", "stack", "stack-cached", "soul", "root"])(
    "stands in later prompts as every old picture, in %s",
    async (dialect) => {
      const model = scriptedModel([[...finish("Here."), drawn(cat)], finish("A cat.")], { capabilities: seeing })
      const { session } = testAgent(model, { ...english, dialect, ...(dialect === "root" && { output: { bubbles: false } }) })
      await session.send("Draw a cat.").result
      const result = await session.send("What is it?").result
      expect(textOf(model.requests[1])).toContain(`%[${catName}]`)
      expect(partsOf(model.requests[1])).toEqual([expect.objectContaining({ name: catName, bytes: cat })])
      expect(result.trace.warnings).toEqual([])
    },
  )

  test("gives way to newer ones, and is named then; a model that sees nothing reads its name", async () => {
    const steps = [1, 2, 3].map((fill) => [drawn(png(8, 8, { fill }))])
    const model = scriptedModel([...steps, ["Well."]], { capabilities: seeing })
    const { session, agent } = testAgent(model, { ...chat, history: { attachments: 1 } })
    for (const _ of steps) await session.send("Draw.").result
    await session.send("Well?").result
    const names = await Promise.all([1, 2, 3].map(async (fill) => `image-${(await blobId(png(8, 8, { fill }))).slice(0, 8)}.png`))
    expect(partsOf(model.requests[3]).map(({ name }) => name)).toEqual([names[2]])
    expect(textOf(model.requests[3])).toContain(`%[${names[0]}] (a picture, image/png, 1 KB; no longer shown)`)
    await agent.close()
  })

  test("is kept once, exported, imported, forgotten, and stays with regenerated answers and forks", async () => {
    for (const open of [async () => createInMemoryStore(), () => openSqliteStore(join(tempFolder(), "store.sqlite"))]) {
      const [store, other] = [await open(), await open()]
      const model = scriptedModel([["One", drawn(cat)], ["Two", drawn(cat)], ["Three"]], { capabilities: seeing })
      const { agent, session } = testAgent(model, chat, { store })
      await session.send("Draw.").result
      await session.regenerate().result
      const [asked, answer] = await session.history()
      expect(answer).toMatchObject({ text: "Two", attachments: [catAttachment] })
      expect(asked?.alternatives).toMatchObject([{ messages: [{}, { text: "One", attachments: [catAttachment] }] }])
      await session.fork("copy")
      await agent.session("copy").send("Well?").result
      expect(partsOf(model.requests[2])).toMatchObject([{ name: catName, bytes: cat }])
      const lines = await exported(store)
      expect(lines.join("").split(base64(cat))).toHaveLength(2)
      await other.import(lines)
      expect(await other.blobs.get(catId, { ...key, conversation: "copy" })).toEqual(cat)
      for (const conversation of ["test", "copy"]) await other.forget({ agent: "test", conversation })
      expect((await exported(other)).join("")).not.toContain(catId)
      for (const each of [store, other]) await each.close()
    }
  })

  test("of a turn that fails is kept with what was shown", async () => {
    const store = createInMemoryStore()
    const { session } = testAgent(scriptedModel([[drawn(cat), new Error("the connection broke")]]), chat, { store })
    const turn = session.send("Draw.")
    expect(shown(await collect(turn))).toEqual(["[image/png]"])
    expect(await turn.result).toMatchObject({ ok: false })
    expect((await session.history())[1]).toMatchObject({ interrupted: true, attachments: [catAttachment] })
    expect(await store.blobs.get(catId, key)).toEqual(cat)
  })

  test("is part of a conversation that the caller keeps", async () => {
    const model = scriptedModel([["A cat."]], { capabilities: seeing })
    const { agent } = testAgent(model, chat)
    const messages = [
      { role: "user", content: "Draw." },
      { role: "assistant", content: "", attachments: [{ bytes: cat, name: "cat.png" }] },
      { role: "user", content: "What is it?" },
    ] as const
    expect(await agent.respond(messages).result).toMatchObject({ ok: true })
    expect(partsOf(model.requests[0])).toMatchObject([{ name: "cat.png", bytes: cat }])
  })
})

describe("a file of the model that cannot be used", () => {
  const bad: readonly (readonly [string, unknown, string])[] = [
    ["a picture that is none", { type: "file", mediaType: "image/png", base64: "aGVsbG8=" }, "expected a picture"],
    ["no bytes", { type: "file", mediaType: "image/png", base64: "" }, "expected bytes"],
    ["no base64", { type: "file", mediaType: "image/png", base64: "***" }, "not base64"],
    ["50 MB", { type: "file", mediaType: "image/png", base64: "A".repeat(67_000_000) }, "expected at most 20000000 bytes"],
  ]

  test.each(bad)("%s: it is left out with a warning, and the words stay", async (_, part, message) => {
    const store = createInMemoryStore()
    const { session } = testAgent(scriptedModel([["Here.", part as ModelPart]]), chat, { store })
    const turn = session.send("Draw.")
    expect(shown(await collect(turn))).toEqual(["Here."])
    const result = await turn.result
    expect(result).toMatchObject({ ok: true, text: "Here." })
    expect(result).not.toHaveProperty("attachments")
    expect(result.trace.warnings).toEqual([{ kind: "file", message: expect.stringContaining(message) }])
    expect((await exported(store)).join("")).not.toContain('"bytes"')
  })

  test("and nothing else: the turn fails as one without an answer, and nothing half is kept", async () => {
    const nothing = { type: "file", mediaType: "image/png", base64: "aGVsbG8=" } as const
    const { session } = testAgent(scriptedModel([[nothing], [nothing]]), chat)
    const result = await session.send("Draw.").result
    expect(result).toMatchObject({ ok: false, error: { code: "model-empty" } })
    expect(await session.history()).toMatchObject([{ role: "user" }])
  })

  test("parts of another form are told", async () => {
    const { session } = testAgent(scriptedModel([["Here.", { type: "file", url: "x" } as unknown as ModelPart]]), chat)
    const result = await session.send("Draw.").result
    expect(result.trace.warnings).toEqual([{ kind: "model", message: expect.stringContaining("not of the form") }])
  })

  test("more than 20 files: the first 20 are kept", async () => {
    const many = Array.from({ length: 25 }, (_, fill) => drawn(png(1, 1, { fill })))
    const { session } = testAgent(scriptedModel([many]), chat)
    const result = await session.send("Draw.").result
    expect(result).toMatchObject({ ok: true, attachments: { length: 20 } })
    expect(result.trace.warnings).toEqual([{ kind: "file", message: expect.stringContaining("20") }])
  })
})
