import { MockLanguageModelV4 } from "ai/test"
import { describe, expect, test } from "vitest"
import { aiSdkModel } from "../../../src/adapters/models/ai-sdk/index.ts"
import { toPrompt } from "../../../src/adapters/models/ai-sdk/prompt.ts"
import { openaiModel } from "../../../src/adapters/models/openai/index.ts"
import * as media from "../../../src/adapters/models/openai/media.ts"
import { requestBody } from "../../../src/adapters/models/openai/request-body.ts"
import { anthropicPictureTokens, geminiPictureTokens, openaiPictureTokens } from "../../../src/adapters/models/picture-tokens.ts"
import type { Message, MessagePart } from "../../../src/core/span.ts"

const form = {
  model: "gpt-4o",
  capabilities: { developerRole: false, tools: true },
  fixedTemperature: false,
  systemRole: "system",
  includeUsage: false,
  outputLimitName: "max_tokens",
  extraBody: {},
  maxRetries: 0,
} as const
const bytes = new Uint8Array([1, 2, 3])
const part = (end: number, mediaType: string, more: object = { bytes }): MessagePart => {
  const { url, ...rest } = more as { readonly url?: string }
  return { end, attachment: { name: "a", mediaType, ...(url === undefined ? { blob: "0" } : { url }) }, ...rest }
}
const user = (content: string, ...parts: MessagePart[]): Message => ({
  role: "user",
  content,
  ...(parts.length > 0 && { parts }),
})
const result: Message = { role: "tool", toolCallId: "1", content: "taken", parts: [part(5, "image/png")] }
const call: Message = { role: "assistant", content: "", toolCalls: [{ id: "1", name: "camera", args: "{}" }] }

const pictures = ["image/png", "image/jpeg", "image/gif", "image/webp"]
const sorted = (names: readonly string[] | undefined) => names && [...names].sort()

test.each([
  ["gpt-5-mini", [...pictures, "application/pdf"], pictures],
  ["gpt-4o", [...pictures, "application/pdf"], pictures],
  ["gpt-4.1", [...pictures, "application/pdf"], pictures],
  ["gpt-4o-audio-preview", ["audio/wav", "audio/mpeg"], undefined],
  ["gpt-3.5-turbo", undefined, undefined],
  ["gpt-4", undefined, undefined],
  ["gpt-4-0613", undefined, undefined],
  ["o1-mini", undefined, undefined],
  ["o3-mini", undefined, undefined],
])("OpenAI's own %s takes what is known of it", (model, attachments, attachmentUrls) => {
  const { capabilities } = openaiModel({ model, apiKey: "k", baseUrl: "https://api.openai.com/v1" })
  expect([sorted(capabilities.attachments), sorted(capabilities.attachmentUrls)]).toEqual([
    sorted(attachments),
    sorted(attachmentUrls),
  ])
  const elsewhere = openaiModel({ model, apiKey: "k", baseUrl: "http://localhost:1" }).capabilities
  // Of another server only the name tells, and that says pictures alone.
  expect(sorted(elsewhere.attachments)).toEqual(attachments?.includes("image/png") ? sorted(pictures) : undefined)
  expect(elsewhere.attachmentUrls).toBeUndefined()
})

test.each([
  ["openai.responses", [...pictures, "application/pdf"], pictures],
  ["azure.chat", [...pictures, "application/pdf"], pictures],
  ["anthropic.messages", [...pictures, "application/pdf"], [...pictures, "application/pdf"]],
  ["google.generative-ai", [...pictures, "application/pdf", "audio/*"], undefined],
  ["vertex.gemini", [...pictures, "application/pdf", "audio/*"], undefined],
  ["amazon-bedrock", [...pictures, "application/pdf"], undefined],
  ["xai.chat", pictures, pictures],
  ["mistral.chat", pictures, pictures],
  ["nobody.chat", undefined, undefined],
])("a model of %s through the AI SDK takes what is known of its provider", (provider, attachments, attachmentUrls) => {
  const { capabilities } = aiSdkModel(new MockLanguageModelV4({ provider }))
  expect([sorted(capabilities.attachments), sorted(capabilities.attachmentUrls)]).toEqual([
    sorted(attachments),
    sorted(attachmentUrls),
  ])
})

describe("attachments in a request to OpenAI", () => {
  const sent = (...messages: Message[]) => requestBody({ messages }, { ...form, media }).messages

  test("stand where they stand in the message", () => {
    const url = "https://example.com/b.png"
    expect(sent(user("one two", part(3, "image/png"), part(7, "image/png", { url })))).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "one" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "text", text: " two" },
          { type: "image_url", image_url: { url } },
        ],
      },
    ])
  })

  test("have the form of their kind, and a text of nothing is left out", () => {
    expect(sent(user("", part(0, "audio/wav"), part(0, "audio/mpeg"), part(0, "application/pdf")))[0]?.content).toEqual([
      { type: "input_audio", input_audio: { data: "AQID", format: "wav" } },
      { type: "input_audio", input_audio: { data: "AQID", format: "mp3" } },
      { type: "file", file: { filename: "a", file_data: "data:application/pdf;base64,AQID" } },
    ])
  })

  test("are joined with the user's other messages in a row", () => {
    expect(sent(user("one"), user("two", part(3, "image/png")), user("three"))).toMatchObject([
      { role: "user", content: [{ text: "one" }, { text: "two" }, { type: "image_url" }, { text: "three" }] },
    ])
  })

  test("of a tool's result follow the step's results in a message of the user", () => {
    const other: Message = { role: "tool", toolCallId: "2", content: "done" }
    expect(sent(call, result, other, user("Well?")).map(({ role, content }) => [role, content])).toEqual([
      ["assistant", ""],
      ["tool", "taken"],
      ["tool", "done"],
      [
        "user",
        [
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "text", text: "Well?" },
        ],
      ],
    ])
    expect(sent(call, result)).toHaveLength(3)
  })
})

describe("attachments in a request through the AI SDK", () => {
  test("are file parts, with tagged data in version 4", () => {
    const message = user("one two", part(3, "image/png"))
    const text = (words: string) => ({ type: "text", text: words })
    const file = { type: "file", filename: "a", mediaType: "image/png" }
    expect(toPrompt([message])).toEqual([{ role: "user", content: [text("one"), { ...file, data: bytes }, text(" two")] }])
    expect(toPrompt([message], { tagged: true })).toMatchObject([
      { content: [text("one"), { ...file, data: { type: "data", data: bytes } }, text(" two")] },
    ])
    const linked = [user("", part(0, "image/png", { url: "https://example.com/b.png" }))]
    expect(toPrompt(linked)).toMatchObject([{ content: [{ data: new URL("https://example.com/b.png") }] }])
    expect(toPrompt(linked, { tagged: true })).toMatchObject([{ content: [{ data: { type: "url" } }] }])
  })

  test("keep the breakpoints of a cache at the ends of their texts", () => {
    const marker = { anthropic: { cacheControl: { type: "ephemeral" } } }
    const marks = {
      breakpoints: [
        { message: 0, end: 3 },
        { message: 0, end: 5 },
      ],
      marker,
    } as never
    expect(toPrompt([user("one two", part(3, "image/png"))], { marks })).toMatchObject([
      {
        content: [
          { text: "one", providerOptions: marker },
          { type: "file" },
          { text: " t", providerOptions: marker },
          { text: "wo" },
        ],
      },
    ])
  })

  test("are joined with the user's other messages in a row, and texts with each other", () => {
    expect(toPrompt([user("one"), user("two"), user("three", part(5, "image/png"))])).toMatchObject([
      { role: "user", content: [{ text: "one\n\ntwo\n\nthree" }, { type: "file" }] },
    ])
  })

  test("of a tool's result follow the step's results in a message of the user", () => {
    expect(toPrompt([call, result, user("Well?")])).toMatchObject([
      { role: "assistant" },
      { role: "tool", content: [{ type: "tool-result" }] },
      { role: "user", content: [{ type: "file" }, { type: "text", text: "Well?" }] },
    ])
  })

  test("without bytes, as in an assembly, are left out", () => {
    expect(toPrompt([user("one", part(3, "image/png", {}))])).toEqual([
      { role: "user", content: [{ type: "text", text: "one" }] },
    ])
  })
})

describe("the tokens of a picture, by the examples of the providers", () => {
  test.each([
    ["gpt-4o", 1024, 1024, 765],
    ["gpt-4o", 2048, 4096, 1105],
    ["gpt-4o-mini", 512, 512, 8500],
    ["openai/gpt-5", 1024, 1024, 630],
    ["gpt-4.1-mini", 1024, 1024, 1659],
    ["unknown", 1, 1, 255],
    ["unknown", 512, 513, 425],
    ["unknown", 513, 512, 425],
    ["gpt-4.1-nano", 32, 33, 5],
    ["o4-mini", 32, 32, 2],
    ["o1", 512, 512, 225],
  ])("%s, %i × %i", (model, width, height, tokens) => {
    expect(openaiPictureTokens(model)(width, height)).toBe(tokens)
  })

  test("Anthropic counts the area, Gemini tiles", () => {
    expect(anthropicPictureTokens(1000, 1000)).toBe(1334)
    expect(anthropicPictureTokens(200, 200)).toBe(54)
    expect(anthropicPictureTokens(9000, 9000)).toBe(1600)
    expect(geminiPictureTokens(384, 384)).toBe(258)
    expect(geminiPictureTokens(960, 540)).toBe(516)
  })
})
