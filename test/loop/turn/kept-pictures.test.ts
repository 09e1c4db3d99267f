import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ModelPart, ModelRequest } from "../../../src/core/model/language-model.ts"
import { blobId } from "../../../src/memory/services/store/blob.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"
import { png } from "../../support/pictures.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const native = {
  dialect: "layered",
  locale: "en",
  timeZone: "UTC",
  memory: { enabled: false },
  loop: { mode: "native" },
} as const
const json = { ...native, loop: { mode: "json" }, history: { toolRuns: "keep" } } as const
const key = { agent: "test", conversation: "test", audience: "private" } as const
const seeing = { tools: true, attachments: ["image/*"], pictureTokens: () => 500 }

const wall = png(32, 32, { bytes: 100_000, fill: 9 })
const wallId = await blobId(wall)
const wallName = `image-${wallId.slice(0, 8)}.png`
const named = `%[${wallName}] (a picture, image/png, 100 KB; no longer shown)`

/** Takes a photo, and one that is none. */
const camera = defineTool({
  name: "camera",
  description: "takes a photo",
  execute: (_, context) => {
    const record = (mediaType: string, bytes: Uint8Array) => {
      const attachment = { mediaType, bytes: bytes.length, base64: Buffer.from(bytes).toString("base64") }
      context.record?.({ kind: "attachment", tool: "camera", summary: "a photo", attachment })
    }
    record("image/png", wall)
    record("image/png", new Uint8Array([1, 2, 3]))
    return "taken"
  },
})

let calls = 0
const call = (tool: string): ModelPart => ({ type: "tool-call", call: { id: `c${++calls}`, name: tool, args: "{}" } })

const partsOf = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ role, parts = [] }) =>
    parts.map(({ attachment, bytes }) => ({ role, name: attachment.name, bytes })),
  )
const textOf = (request: ModelRequest | undefined) => (request?.messages ?? []).map(({ content }) => content).join("\n")

function counting(store: Store): { readonly store: Store; readonly counts: { puts: number; gets: number } } {
  const counts = { puts: 0, gets: 0 }
  const blobs: Store["blobs"] = {
    put: (...given) => {
      counts.puts++
      return store.blobs.put(...given)
    },
    get: (...given) => {
      counts.gets++
      return store.blobs.get(...given)
    },
  }
  return { store: { ...store, blobs }, counts }
}

const stores: readonly (readonly [string, () => Store | Promise<Store>])[] = [
  ["in memory", () => createInMemoryStore()],
  ["SQLite", () => openSqliteStore(join(tempFolder(), "store.sqlite"))],
]

describe("a picture that a tool returned, in later turns", () => {
  test.each(stores)("%s: stands behind the result of its call, also in another process", async (_, open) => {
    const { store, counts } = counting(await open())
    const model = scriptedModel([[call("camera")], ["A wall."]], { capabilities: seeing })
    const result = await testAgent(model, native, { store, tools: [camera] }).session.send("Take one.").result
    expect(result.trace.warnings).toEqual([
      { kind: "file", message: expect.stringContaining("the tool camera: expected a picture") },
    ])
    expect(counts).toEqual({ puts: 1, gets: 0 })
    const later = scriptedModel([["Grey."]], { capabilities: seeing })
    const again = testAgent(later, native, { store, tools: [camera] })
    await again.session.send("Which colour?").result
    expect(partsOf(later.requests[0])).toEqual([{ role: "tool", name: wallName, bytes: wall }])
    expect(counts).toEqual({ puts: 1, gets: 1 })
    await again.agent.close()
    await store.close()
  })

  test("stands in the text of a run, where runs are kept as text", async () => {
    const model = scriptedModel([callTool("camera"), finish("A wall."), finish("Grey.")], { capabilities: seeing })
    const { session } = testAgent(model, json, { tools: [camera] })
    await session.send("Take one.").result
    await session.send("Which colour?").result
    expect(partsOf(model.requests[2])).toMatchObject([{ name: wallName, bytes: wall }])
  })

  test("is not kept where its run is not", async () => {
    const { store, counts } = counting(createInMemoryStore())
    const model = scriptedModel([callTool("camera"), finish("A wall.")], { capabilities: seeing })
    const { session } = testAgent(model, { ...json, history: {} }, { store, tools: [camera] })
    await session.send("Take one.").result
    expect(counts).toEqual({ puts: 0, gets: 0 })
  })

  test.each([
    ["native calls", native, { role: "tool" }],
    ["text", json, {}],
  ] as const)(
    "gives way to newer ones and is named in its result then, as %s; its bytes are not read",
    async (kind, profile, _) => {
      const { store, counts } = counting(createInMemoryStore())
      const isNative = kind === "native calls"
      const answers = ["A wall.", "A dot.", "A line.", "Both."].map((text) => (isNative ? text : finish(text)))
      const model = scriptedModel([isNative ? [call("camera")] : callTool("camera"), ...answers], { capabilities: seeing })
      const history = { ...(isNative ? {} : { toolRuns: "keep" as const }), attachments: 1 }
      const { session } = testAgent(model, { ...profile, history }, { store, tools: [camera] })
      await session.send("Take one.").result
      for (const fill of [1, 2]) await session.send("Look.", { attachments: [{ bytes: png(8, 8, { fill }) }] }).result
      counts.gets = 0
      const result = await session.send("Well?").result
      expect(partsOf(model.requests.at(-1))).toHaveLength(1)
      expect(textOf(model.requests.at(-1))).toContain(named)
      expect(counts.gets).toBe(1)
      const decision = result.trace.steps[0]?.assembly.decisions.find(({ key }) => key === "history")
      expect(decision).toMatchObject({ fate: "shortened", reason: expect.stringContaining("only named") })
    },
  )

  test("is named for a model that sees nothing, and shown to another one, also in the dialect root", async () => {
    const store = createInMemoryStore()
    const first = scriptedModel([[call("camera")], ["A wall."]], { capabilities: seeing })
    await testAgent(first, native, { store, tools: [camera] }).session.send("Take one.").result
    for (const [capabilities, dialect, line, shown] of [
      [{ tools: true }, "layered", `%[${wallName}] (a picture, image/png, 100 KB; you cannot see it)`, 0],
      [seeing, "root", "taken", 1],
    ] as const) {
      const model = scriptedModel([["Grey."]], { capabilities })
      const profile = { ...native, dialect, loop: { mode: "native" as const }, output: { bubbles: false } }
      await testAgent(model, profile, { store, tools: [camera] }).session.send("Which colour?").result
      expect(partsOf(model.requests[0])).toHaveLength(shown)
      expect(textOf(model.requests[0])).toContain(line)
    }
  })

  test.each(stores)("%s: is exported, imported, copied with a fork, and forgotten with its conversation", async (_, open) => {
    const [store, other] = [await open(), await open()]
    const model = scriptedModel([[call("camera")], ["A wall."], ["Grey."]], { capabilities: seeing })
    const { agent, session } = testAgent(model, native, { store, tools: [camera] })
    await session.send("Take one.").result
    await session.fork("copy")
    await agent.session("copy").send("Which colour?").result
    expect(partsOf(model.requests[2])).toMatchObject([{ bytes: wall }])
    await other.import(await collect(store.export({ agent: "test" })))
    expect(await other.blobs.get(wallId, key)).toEqual(wall)
    for (const conversation of ["test", "copy"]) await other.forget({ agent: "test", conversation })
    expect((await collect(other.export({ agent: "test" }))).join("")).not.toContain(wallId)
    await agent.close()
    for (const each of [store, other]) await each.close()
  })

  test("is there when a turn goes on after an approval, in another process", async () => {
    const store = createInMemoryStore()
    const publish = defineTool({ name: "publish", description: "publishes it", needsApproval: true, execute: () => "done" })
    const tools = [camera, publish]
    const first = scriptedModel([[call("camera")], [call("publish")]], { capabilities: seeing })
    const asked = await testAgent(first, native, { store, tools }).session.send("Publish one.").result
    const [approval] = (asked.ok && asked.approvals) || []
    const model = scriptedModel([["Published."], ["A wall."]], { capabilities: seeing })
    const { session } = testAgent(model, native, { store, tools })
    expect(await session.approve(approval?.id ?? "").result).toMatchObject({ ok: true, text: "Published." })
    expect(partsOf(model.requests[0])).toMatchObject([{ name: wallName, bytes: wall }])
    await session.send("What was it?").result
    expect(partsOf(model.requests[1])).toMatchObject([{ name: wallName, bytes: wall }])
  })
})
