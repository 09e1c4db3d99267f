import { expect, test } from "vitest"
import { toAiSdkPrompt } from "../../../src/adapters/models/ai-sdk/prompt.ts"
import { toOpenaiMessages } from "../../../src/adapters/models/openai/request-body.ts"
import type { Message, MessagePart } from "../../../src/core/span.ts"

const part = (attachment: Partial<MessagePart["attachment"]>, end: number): MessagePart => ({
  attachment: { name: "cat.png", mediaType: "image/png", ...attachment },
  end,
})
const messages: readonly Message[] = [
  { role: "user", content: "Look: there", parts: [part({ blob: "b1" }, 6), part({ url: "https://app.test/dog.png" }, 11)] },
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "draw", args: "{}" }] },
  { role: "tool", content: "drawn", toolCallId: "c1", parts: [part({ blob: "b2" }, 5)] },
]
const assembly = { messages, prefixes: [] } as never
const bytes = new Map([
  ["b1", new Uint8Array([1, 2])],
  ["b2", new Uint8Array([3])],
])

test("the messages of the OpenAI API carry the bytes of pictures, those of tool results too", () => {
  const [user, , tool, drawn] = toOpenaiMessages(assembly, { bytes })
  const image = (url: string) => ({ type: "image_url", image_url: { url } })
  expect(user?.content).toEqual([
    { type: "text", text: "Look: " },
    image("data:image/png;base64,AQI="),
    { type: "text", text: "there" },
    image("https://app.test/dog.png"),
  ])
  expect(tool).toMatchObject({ role: "tool", content: "drawn" })
  expect(drawn).toEqual({ role: "user", content: [image("data:image/png;base64,Aw==")] })
})

test("the prompt of the AI SDK carries the bytes of pictures, those of tool results too", () => {
  const { messages: sent } = toAiSdkPrompt(assembly, { bytes })
  const parts = sent.flatMap(({ content }): readonly { readonly type: string }[] => (typeof content === "string" ? [] : content))
  const files = parts.filter(({ type }) => type === "file")
  expect(files).toMatchObject([
    { data: bytes.get("b1") },
    { data: new URL("https://app.test/dog.png") },
    { data: bytes.get("b2") },
  ])
})

test("a picture without bytes is told and not left out", () => {
  const missing = { code: "usage", message: expect.stringContaining('the bytes of "cat.png"') }
  for (const make of [toOpenaiMessages, toAiSdkPrompt]) {
    expect(() => make(assembly)).toThrow(expect.objectContaining(missing))
    expect(() => make(assembly, { bytes: new Map([["b1", new Uint8Array(1)]]) })).toThrow(expect.objectContaining(missing))
  }
})
