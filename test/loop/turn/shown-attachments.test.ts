import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { LanguageModel, ModelRequest } from "../../../src/core/model/language-model.ts"
import { sightOf } from "../../../src/loop/turn/shown-attachments.ts"
import { blobId } from "../../../src/memory/services/store/blob.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { png } from "../../support/pictures.ts"
import { runs } from "../../support/size.ts"

const english = { dialect: "layered", locale: "en", timeZone: "UTC", memory: { enabled: false } } as const
const seeing = { attachments: ["image/*"], attachmentUrls: ["image/*"], pictureTokens: () => 500 }

const seer = (answers: number, capabilities = {}) =>
  scriptedModel(
    Array.from({ length: answers }, () => finish("I see.")),
    { capabilities: { ...seeing, ...capabilities } },
  )

function countingStore(): { readonly store: Store; readonly counts: { gets: number } } {
  const made = createInMemoryStore()
  const counts = { gets: 0 }
  const get: Store["blobs"]["get"] = (...given) => {
    counts.gets++
    return made.blobs.get(...given)
  }
  return { store: { ...made, blobs: { ...made.blobs, get } }, counts }
}

const partsOf = (request: ModelRequest | undefined) =>
  (request?.messages ?? []).flatMap(({ content, parts = [] }) =>
    parts.map(({ end, attachment, bytes }) => ({ before: content.slice(0, end), attachment, bytes })),
  )
const textOf = (request: ModelRequest | undefined) => (request?.messages ?? []).map(({ content }) => content).join("\n")

test.each([
  [{ mediaType: "audio/mpeg", sizeBytes: 640_000 }, 1_000],
  [{ mediaType: "audio/mpeg", sizeBytes: 640_001 }, 1_001],
  [{ mediaType: "application/pdf", sizeBytes: 50_000 }, 1_000],
  [{ mediaType: "application/pdf", sizeBytes: 5_050 }, 101],
  [{ mediaType: "application/pdf", sizeBytes: 7 }, 100],
  [{ mediaType: "application/pdf" }, 100],
  [{ mediaType: "image/png", width: 750, height: 2 }, 2],
  [{ mediaType: "image/png", width: 30 }, 41],
  [{ mediaType: "image/png" }, 1_399],
  [{ mediaType: "image/png", width: 5_000, height: 5_000 }, 1_600],
  [{ mediaType: "video/mp4", sizeBytes: 640_000 }, undefined],
  [{ sizeBytes: 640_000 }, undefined],
])("an attachment counts for what it has of a recording, a document or a picture: %j", (attachment, tokens) => {
  const capabilities = { developerRole: false, tools: false, attachments: ["audio/*", "application/pdf", "image/*"] }
  const { tokensOf } = sightOf({ id: "m", capabilities } as unknown as LanguageModel)
  expect(tokensOf({ name: "a", blob: "0", ...attachment })).toBe(tokens)
})

describe("attachments that a model takes", () => {
  test.each(["layered", "fay", "stack", "stack-cached", "soul", "root"])(
    "stand behind their name in the request, with their bytes, in %s",
    async (dialect) => {
      const model = seer(2)
      const { session } = testAgent(model, { ...english, dialect })
      const photo = png(640, 480)
      const result = await session.send("Look.", { attachments: [{ bytes: photo, name: "cat.png" }] }).result
      await session.send("And now?").result
      for (const request of model.requests) {
        expect(partsOf(request)).toEqual([
          {
            before: expect.stringMatching(/%\[cat\.png\]$/),
            attachment: expect.objectContaining({ name: "cat.png" }),
            bytes: photo,
          },
        ])
        expect(textOf(request)).not.toContain("a picture")
      }
      const assembly = result.trace.steps[0]?.assembly
      expect(assembly?.exact).toBe(false)
      const span = assembly?.spans.find(({ parts }) => parts)
      expect(span).toMatchObject({
        key: dialect === "layered" ? "question" : expect.any(String),
        text: "%[cat.png]",
        trust: "user",
      })
      expect(span?.tokens).toBeGreaterThanOrEqual(500)
      expect(assembly?.spans.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(assembly?.tokens)
      expect(JSON.parse(JSON.stringify(assembly))).toEqual(assembly)
      expect(result.trace.warnings).toEqual([])
    },
  )

  test("are read from the store once in a turn, and not at all once they gave way or by a model that takes none", async () => {
    const { store, counts } = countingStore()
    const profile = { ...english, history: { attachments: 1 } }
    const clock = defineTool({ name: "clock", description: "time", execute: () => "11:04" })
    const model = scriptedModel([finish("1"), callTool("clock"), finish("2"), finish("3"), finish("4"), finish("5")], {
      capabilities: seeing,
    })
    const { session } = testAgent(model, profile, { store, tools: [clock] })
    await session.send("", { attachments: [{ bytes: png(9, 9, { bytes: 10_000_000 }) }] }).result
    expect(counts.gets).toBe(0)
    await session.send("What time is it?").result
    expect(counts.gets).toBe(1)
    for (const fill of [1, 2]) await session.send("", { attachments: [{ bytes: png(8, 8, { fill }) }] }).result
    counts.gets = 0
    await session.send("Well?").result
    expect(partsOf(model.requests.at(-1)).map(({ attachment }) => attachment.blob)).toEqual([
      await blobId(png(8, 8, { fill: 2 })),
    ])
    expect(counts.gets).toBe(1)
    const blind = testAgent(scriptedModel([finish("6")]), profile, { store })
    await blind.session.send("Well?").result
    expect(counts.gets).toBe(1)
  })

  test("R8 are only named where the model lacks their kind, and the trace says so; root has no more words for them", async () => {
    const attachments = [{ bytes: png(1, 1), name: "cat.png" }, { path: "notes.md" }]
    const named = scriptedModel([finish("What is it?")])
    const root = testAgent(named, { ...english, dialect: "root", output: { bubbles: false } })
    const { trace } = await root.session.send("", { attachments }).result
    expect([partsOf(named.requests[0]), trace.warnings]).toEqual([
      [],
      [{ kind: "file", message: expect.stringContaining("scripted takes no image/png") }],
    ])
    expect(textOf(named.requests[0])).toMatch(/%\[cat\.png\]\n%\[notes\.md\]/)
    const model = scriptedModel([finish("What is it?")])
    const blind = testAgent(model, english)
    const result = await blind.session.send("", { attachments }).result
    expect(textOf(model.requests[0])).toContain("%[cat.png] (a picture, image/png, 1 KB; you cannot see it)\n%[notes.md]")
    expect(result.trace.warnings).toEqual([{ kind: "file", message: expect.stringContaining("scripted takes no image/png") }])
  })

  test("of which the store lost the bytes are left out, with a warning", async () => {
    const { store, counts } = countingStore()
    const first = testAgent(seer(1), english, { store })
    await first.session.send("", { attachments: [{ bytes: png(1, 1) }] }).result
    const lost: Store = { ...store, blobs: { ...store.blobs, get: async () => undefined } }
    const model = seer(1)
    const result = await testAgent(model, english, { store: lost }).session.send("Well?").result
    expect(partsOf(model.requests[0])).toEqual([])
    expect(result.trace.warnings).toEqual([{ kind: "file", message: expect.stringContaining("no more") }])
    expect(counts.gets).toBe(0)
  })

  test("are URLs for a model whose provider fetches them, and named for another one", async () => {
    const attachments = [{ url: "https://example.com/cat.png" }]
    const model = seer(1)
    await testAgent(model, english).session.send("", { attachments }).result
    expect(partsOf(model.requests[0])).toMatchObject([{ attachment: { url: attachments[0]?.url } }])
    const other = seer(1, { attachmentUrls: [] })
    const result = await testAgent(other, english).session.send("", { attachments }).result
    expect(textOf(other.requests[0])).toContain("(a picture, image/png; you cannot see it)")
    expect(result.trace.warnings).toMatchObject([{ message: expect.stringContaining("takes no URL of image/png") }])
  })

  test("of another picture under the same name make another prompt prefix", async () => {
    const fingerprints = await Promise.all(
      [1, 2].map(async (fill) => {
        const { session } = testAgent(seer(1), { ...english, dialect: "stack" })
        await session.send("", { attachments: [{ bytes: png(1, 1, { fill }) }] }).result
        return (await session.preview("Well?")).prefixes.find(({ stability }) => stability === "conversation")?.fingerprint
      }),
    )
    expect(fingerprints[0]).not.toBe(fingerprints[1])
  })
})

describe("attachments of earlier messages", () => {
  const sent = async (count: number, profile: object) => {
    const model = seer(count + 1)
    const { session } = testAgent(model, { ...english, ...profile })
    for (let fill = 0; fill < count; fill++)
      await session.send(`photo ${fill}`, { attachments: [{ bytes: png(8, 8, { fill }), name: `${fill}.png` }] }).result
    const result = await session.send("Well?").result
    return { request: model.requests.at(-1), assembly: result.trace.steps[0]?.assembly }
  }
  const names = (request: ModelRequest | undefined) => partsOf(request).map(({ attachment }) => attachment.name)

  test("are shown up to twice the setting, then the newest: the beginning of a prompt seldom changes", async () => {
    const history = { attachments: 2, contextCount: 20 }
    expect(names((await sent(4, { history })).request)).toEqual(["0.png", "1.png", "2.png", "3.png"])
    const { request, assembly } = await sent(5, { history })
    expect(names(request)).toEqual(["3.png", "4.png"])
    expect(textOf(request)).toContain("%[0.png] (a picture, image/png, 1 KB; no longer shown)")
    const decision = assembly?.decisions.find(({ key }) => key === "history")
    expect(decision).toMatchObject({
      fate: "shortened",
      reason: expect.stringContaining("attachments of earlier messages are only named: 3"),
    })
    expect((decision?.fromTokens ?? 0) - (decision?.toTokens ?? 0)).toBe(1_500)
  })

  test("give way before words when the budget is short, and words stay whole", async () => {
    const { request, assembly } = await sent(3, { budget: { tokens: 1_500, answerTokens: 100, stepTokens: 100 } })
    expect(names(request).length).toBeLessThan(3)
    for (const words of ["photo 0", "photo 1", "photo 2", "%[0.png]"]) expect(textOf(request)).toContain(words)
    const decision = assembly?.decisions.find(({ key }) => key === "history")
    expect(decision).toMatchObject({ fate: "shortened", reason: expect.stringContaining("only named") })
    expect((assembly?.tokens ?? 0) + (assembly?.overheadTokens ?? 0)).toBeLessThanOrEqual(1_400)
  })
})

test("attachments of earlier messages are only named once a provider refused them, such as a URL that is dead by now", async () => {
  const refusal = new PromptStrataError("model", "The URL cannot be read.", { evidence: { kind: "bad-request" } })
  const model = scriptedModel([finish("A cat."), [refusal], finish("Yes."), [refusal]], { capabilities: seeing })
  const { session } = testAgent(model, english)
  await session.send("", { attachments: [{ url: "https://example.com/cat.png" }] }).result
  const result = await session.send("Really?").result
  expect(result).toMatchObject({ ok: true, text: "Yes." })
  expect(model.requests.map((request) => partsOf(request).length)).toEqual([1, 1, 0])
  expect(textOf(model.requests[2])).toContain("%[cat.png] (a picture, image/png; no longer shown)")
  expect(result.trace.warnings).toEqual([{ kind: "file", message: expect.stringContaining("refused a request") }])
  const later = testAgent(scriptedModel([[refusal]], { capabilities: seeing }), english)
  expect(await later.session.send("Hi").result).toMatchObject({ ok: false, error: { code: "model" } })
})

test("a refusal of a request that only names them is no reason to send it again", async () => {
  const refusal = new PromptStrataError("model", "The request is too long.", { evidence: { kind: "bad-request" } })
  const model = scriptedModel([finish("A cat."), [refusal], finish("Yes.")])
  const { session } = testAgent(model, english)
  await session.send("", { attachments: [{ bytes: png(4, 4) }] }).result
  const result = await session.send("Really?").result
  expect(result).toMatchObject({ ok: false, error: { code: "model" }, trace: { warnings: [] } })
  expect(model.requests).toHaveLength(2)
})

describe("attachments of a tool's result", () => {
  const camera = defineTool({
    name: "camera",
    description: "takes a photo",
    execute: (_, context) => {
      const base64 = Buffer.from(png(32, 32)).toString("base64")
      const attachment = { mediaType: "image/png", bytes: 64, base64 }
      context.record?.({ kind: "attachment", tool: "camera", summary: "a photo", attachment })
      const broken = { mediaType: "image/png", bytes: 3, base64: "AAAA" }
      context.record?.({ kind: "attachment", tool: "camera", summary: "no photo", attachment: broken })
      return context.takes?.("image/png") === true ? "taken, seen" : "taken, not seen"
    },
  })

  test("reach a model that takes them, behind the result, and stay for the rest of the turn", async () => {
    const model = scriptedModel([callTool("camera"), callTool("camera", { again: 1 }), finish("A wall.")], {
      capabilities: seeing,
    })
    const { session } = testAgent(model, english, { tools: [camera] })
    await session.send("Take one.").result
    expect(model.requests.map((request) => partsOf(request).length)).toEqual([0, 1, 2])
    expect(partsOf(model.requests[1])).toMatchObject([{ before: expect.stringMatching(/taken, seen$/), bytes: png(32, 32) }])
  })

  test("do not reach one that takes none", async () => {
    const model = scriptedModel([callTool("camera"), finish("A wall.")])
    const { session } = testAgent(model, english, { tools: [camera] })
    await session.send("Take one.").result
    expect(textOf(model.requests[1])).toContain("taken, not seen")
    expect(partsOf(model.requests[1])).toEqual([])
  })
})

test("the tokens of a request with pictures are the sum of its spans, in every dialect, whatever the budget", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("layered", "fay", "stack", "stack-cached", "soul"),
      fc.array(fc.tuple(fc.string(), fc.nat(2)), { maxLength: 4 }),
      fc.option(fc.integer({ min: 1_500, max: 6_000 }), { nil: undefined }),
      async (dialect, messages, tokens) => {
        const { session } = testAgent(seer(messages.length), { ...english, dialect, ...(tokens && { budget: { tokens } }) })
        for (const [text, count] of messages)
          await session.send(`x${text}`, { attachments: Array.from({ length: count }, () => ({ bytes: png(4, 4) })) }).result
        const assembly = await session.preview("Well?")
        expect(assembly.spans.reduce((sum, span) => sum + span.tokens, 0)).toBe(assembly.tokens)
        expect(
          assembly.messages.map((_, at) =>
            assembly.spans
              .filter(({ message }) => message === at)
              .map(({ text }) => text)
              .join(""),
          ),
        ).toEqual(assembly.messages.map(({ content }) => content))
      },
    ),
    { numRuns: runs(15) },
  )
})
