import { afterEach, beforeEach, expect, test } from "vitest"
import { openaiModel, toOpenaiMessages } from "../../../../src/adapters/models/openai/index.ts"
import type { ModelPart } from "../../../../src/core/model/language-model.ts"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer()
})
afterEach(() => server.close())

const base64 = "iVBORw0KGgo="
const url = `data:image/png;base64,${base64}`
const picture = { type: "image_url", image_url: { url } }
const finish = chatChunk({}, { finish_reason: "stop" })
const file = { type: "file", mediaType: "image/png", base64 }
const words = (delta: string) => ({ type: "text-delta", delta })
const end = { type: "finish", reason: "stop" }

async function partsOf(chunks: readonly unknown[], extraBody: Readonly<Record<string, unknown>> = {}): Promise<ModelPart[]> {
  server.reply({ body: eventStream(chunks) })
  const model = openaiModel({ model: "m", apiKey: "k", baseUrl: server.baseUrl, extraBody })
  return collect(model.stream({ messages: [{ role: "user", content: "Draw." }] }, { signal: new AbortController().signal }))
}

test.each([
  ["in `images` of a chunk", [chatChunk({ content: "Look:" }), chatChunk({ images: [picture] }), finish]],
  ["again in the last chunk", [chatChunk({ content: "Look:", images: [picture] }), chatChunk({ images: [picture] }), finish]],
  ["as a part of the content", [chatChunk({ content: [{ type: "text", text: "Look:" }, picture] }), finish]],
  ["as a bare address", [chatChunk({ content: "Look:" }), chatChunk({ images: [{ image_url: url }] }), finish]],
])("a picture that a server gives %s is a file of the answer", async (_, chunks) => {
  expect(await partsOf(chunks)).toEqual([words("Look:"), file, end])
})

test("a picture of a server that does not stream is one, too", async () => {
  const message = { role: "assistant", content: "Look:", images: [picture] }
  server.reply({
    body: JSON.stringify({ object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] }),
    headers: { "content-type": "application/json" },
  })
  const model = openaiModel({ model: "m", apiKey: "k", baseUrl: server.baseUrl })
  const stream = model.stream({ messages: [{ role: "user", content: "Draw." }] }, { signal: new AbortController().signal })
  expect(await collect(stream)).toEqual([words("Look:"), file, end])
})

test("a picture behind an address is told and not fetched", async () => {
  const far = { type: "image_url", image_url: { url: "https://example.com/cat.png" } }
  expect(await partsOf([chatChunk({ images: [far, null, {}, 7] }), finish])).toEqual([
    { type: "warning", message: expect.stringContaining("https://example.com/cat.png") },
    end,
  ])
})

test("what a model says aloud is text, and one recording: samples of a stream become a WAV file", async () => {
  const samples = Buffer.from([1, 0, 2, 0, 3, 0, 4, 0, 5, 0])
  const pieces = [samples.subarray(0, 4), samples.subarray(4)].map((piece) => piece.toString("base64"))
  const chunks = [
    chatChunk({ audio: { id: "a", transcript: "Good " } }),
    chatChunk({ audio: { transcript: "morning", data: pieces[0] } }),
    chatChunk({ audio: { data: pieces[1] } }),
    finish,
  ]
  const parts = await partsOf(chunks, { modalities: ["text", "audio"], audio: { voice: "alloy", format: "pcm16" } })
  expect(parts).toEqual([
    words("Good "),
    words("morning"),
    { type: "file", mediaType: "audio/wav", base64: expect.any(String) },
    end,
  ])
  const wav = Buffer.from((parts[2] as { readonly base64: string }).base64, "base64")
  expect([wav.toString("latin1", 0, 4), wav.toString("latin1", 8, 16), wav.toString("latin1", 36, 40)]).toEqual([
    "RIFF",
    "WAVEfmt ",
    "data",
  ])
  expect([wav.readUInt32LE(4), wav.readUInt32LE(24), wav.readUInt32LE(40)]).toEqual([wav.length - 8, 24_000, samples.length])
  expect(wav.subarray(44)).toEqual(samples)
})

test("a piece of a recording that comes beside words of the content is part of it", async () => {
  const [begin, end64] = ["AAAA", "BBBB"]
  const chunks = [chatChunk({ content: "Hi", audio: { data: begin } }), chatChunk({ audio: { data: end64 } }), finish]
  expect(await partsOf(chunks)).toEqual([words("Hi"), { type: "file", mediaType: "audio/wav", base64: begin + end64 }, end])
})

test("a recording in another form is passed on as it is, and one that is not base64 is told", async () => {
  const mp3 = Buffer.from("ID3 and so on").toString("base64")
  const [said] = await partsOf([chatChunk({ audio: { data: mp3 } }), finish], { audio: { format: "mp3" } })
  expect(said).toEqual({ type: "file", mediaType: "audio/mpeg", base64: mp3 })
  expect(await partsOf([chatChunk({ audio: { data: "***" } }), finish])).toEqual([
    { type: "warning", message: expect.stringContaining("not base64") },
    end,
  ])
})

test("a picture of an earlier answer stands in a message of the user behind it, under its name, before what follows", () => {
  const attachment = { name: "a.png", mediaType: "image/png", blob: "0" }
  const bytes = new Map([["0", new Uint8Array(Buffer.from(base64, "base64"))]])
  const messages = [
    {
      role: "assistant" as const,
      content: "Look:\n%[a.png]\n%[b.png]",
      parts: [
        { end: 14, attachment },
        { end: 23, attachment },
      ],
    },
    { role: "user" as const, content: "Well?" },
  ]
  expect(toOpenaiMessages({ messages }, { bytes })).toEqual([
    { role: "assistant", content: "Look:\n%[a.png]\n%[b.png]" },
    { role: "user", content: [{ type: "text", text: "%[a.png]" }, picture, { type: "text", text: "%[b.png]" }, picture] },
    { role: "user", content: "Well?" },
  ])
})
