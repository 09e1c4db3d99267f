import { expect, test } from "vitest"
import { type AiSdkLanguageModel, aiSdkModel } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { toPrompt } from "../../../../src/adapters/models/ai-sdk/prompt.ts"
import { collect } from "../../../support/collect.ts"
import { finish, modelV2, modelV3, modelV4, textBlock } from "./mock-models.ts"

const base64 = "iVBORw0KGgo="
const bytes = new Uint8Array(Buffer.from(base64, "base64"))
const file = { type: "file" as const, mediaType: "image/png" }
const end = { type: "finish" as const, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, finishReason: "stop" as const }
const words = textBlock("Look:")

const partsOf = (model: AiSdkLanguageModel) =>
  collect(aiSdkModel(model).stream({ messages: [{ role: "user", content: "Draw." }] }, { signal: new AbortController().signal }))

test.each([
  ["v4, tagged", modelV4(...words, { ...file, data: { type: "data", data: base64 } }, finish)],
  ["v4, tagged bytes", modelV4(...words, { ...file, data: { type: "data", data: bytes } }, finish)],
  ["v3", modelV3(...words, { ...file, data: base64 }, finish)],
  ["v3, bytes", modelV3(...words, { ...file, data: bytes }, finish)],
  ["v2", modelV2(...words, { ...file, data: base64 }, end)],
])("a file that the model made comes in its place, in specification %s", async (_, model) => {
  const parts = await partsOf(model)
  expect(parts.slice(0, 2)).toEqual([
    { type: "text-delta", delta: "Look:" },
    { type: "file", mediaType: "image/png", base64 },
  ])
  expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "stop" })
})

test("a file behind an address is told and not fetched", async () => {
  const url = new URL("https://example.com/cat.png")
  const parts = await partsOf(modelV4({ ...file, data: { type: "url", url } }, finish))
  expect(parts[0]).toEqual({ type: "warning", message: expect.stringContaining("https://example.com/cat.png") })
})

test("a file of an earlier answer stands in a message of the user behind it, under its name, before what follows", () => {
  const part = { end: 14, attachment: { name: "a.png", mediaType: "image/png", blob: "0" }, bytes }
  const call = { id: "1", name: "clock", args: "{}" }
  const answer = { role: "assistant", content: "Look:\n%[a.png]", parts: [part] } as const
  const named = { type: "text", text: "%[a.png]" }
  expect(toPrompt([answer, { role: "user", content: "Well?" }])).toMatchObject([
    { role: "assistant", content: [{ type: "text", text: "Look:\n%[a.png]" }] },
    { role: "user", content: [named, { type: "file", filename: "a.png", data: bytes }, { type: "text", text: "Well?" }] },
  ])
  const withCall = { ...answer, toolCalls: [call] }
  expect(toPrompt([withCall, { role: "tool", toolCallId: "1", content: "11:04" }])).toMatchObject([
    { role: "assistant" },
    { role: "tool" },
    { role: "user", content: [named, { type: "file" }] },
  ])
})
