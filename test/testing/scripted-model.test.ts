import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ModelPart, ModelRequest } from "../../src/core/model/language-model.ts"
import { textChunks } from "../../src/core/model/text-chunks.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../src/testing/index.ts"
import { collect } from "../support/collect.ts"

const asking = (content: string): ModelRequest => ({ messages: [{ role: "user", content }] })
const live = () => ({ signal: new AbortController().signal })
const text = (delta: string): ModelPart => ({ type: "text-delta", delta })
const stop: ModelPart = { type: "finish", reason: "stop" }

/** The parts of the only answer of a script, after which the script is done. */
async function played(step: ScriptedStep, chunkSize?: number): Promise<ModelPart[]> {
  const model = scriptedModel([step], chunkSize === undefined ? {} : { chunkSize })
  const parts = await collect(model.stream(asking("hi"), live()))
  model.assertDone()
  return parts
}

function forgetEarlierScripts(): void {
  try {
    expectScriptsDone()
  } catch {
    // Scripts of other tests in this file are broken on purpose.
  }
}

describe("what a step becomes", () => {
  test("a text comes in pieces of four, then a finish", async () => {
    expect(await played("hello!")).toEqual([text("hell"), text("o!"), stop])
  })

  test("chunks come as they are, and a finish of the script's own is the only one", async () => {
    const finish: ModelPart = { type: "finish", reason: "length" }
    expect(await played(["hel", { type: "thinking-delta", delta: "hm" }, finish])).toEqual([
      text("hel"),
      { type: "thinking-delta", delta: "hm" },
      finish,
    ])
  })

  test("a tool call without a finish finishes as tool-calls", async () => {
    const call: ModelPart = { type: "tool-call", call: { id: "a", name: "x", args: "{}" } }
    expect(await played([call])).toEqual([call, { type: "finish", reason: "tool-calls" }])
  })

  test("a function sees the request and its index, and may be asynchronous", async () => {
    expect(await played(async (request, index) => [`${request.messages.at(-1)?.content} ${index}`])).toEqual([text("hi 0"), stop])
  })

  test("an error is thrown as it is, after what came before it", async () => {
    const fault = new Error("connection lost")
    const parts: ModelPart[] = []
    const reading = (async () => {
      for await (const part of scriptedModel([["half", fault]]).stream(asking("hi"), live())) parts.push(part)
    })()
    await expect(reading).rejects.toBe(fault)
    expect(parts).toEqual([text("half")])
  })

  test("a stall ends when the request is aborted, also when it already is", async () => {
    const controller = new AbortController()
    const model = scriptedModel([["half", { stallUntilAborted: true }], "never"])
    const reading = (async () => {
      for await (const _ of model.stream(asking("hi"), controller)) controller.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: "aborted" })
    await expect(collect(model.stream(asking("hi"), { signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: "aborted" })
  })

  test("a stall that has begun ends when the request is aborted", async () => {
    const controller = new AbortController()
    const stream = scriptedModel([[{ stallUntilAborted: true }], "never"]).stream(asking("hi"), controller)
    const reading = collect(stream)
    await new Promise((resolve) => setImmediate(resolve))
    controller.abort()
    await expect(reading).rejects.toMatchObject({ code: "aborted" })
  })

  test("cutting keeps characters whole and loses nothing, for any text and size", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 6 }), (whole, size) => {
        const pieces = textChunks(whole, size)
        expect(pieces.join("")).toBe(whole)
        expect(pieces.every((piece) => piece.isWellFormed() && piece.length >= 1 && piece.length <= size + 1)).toBe(true)
      }),
    )
  })
})

describe("a script that does not fit", () => {
  test("a missing step is an error that shows what was asked and how many steps there were", async () => {
    const model = scriptedModel(["one"])
    await collect(model.stream(asking("first"), live()))
    await expect(collect(model.stream(asking("what now?"), live()))).rejects.toMatchObject({
      code: "test",
      message: expect.stringMatching(/1 step\(s\), but request 2 was made.*\(user\):\nwhat now\?/s),
    })
    expect(model.requests.map((request) => request.messages[0]?.content)).toEqual(["first", "what now?"])
    expect(() => model.assertDone()).toThrow("but request 2 was made")
  })

  test("an unused step is found, and shown", () => {
    expect(() => scriptedModel(["one", "two"]).assertDone()).toThrow(
      '2 step(s), but only 0 request(s) were made. The next step is "one"',
    )
  })

  test("expectScriptsDone checks every model made since it last ran, once", async () => {
    expect(forgetEarlierScripts).not.toThrow()
    const used = scriptedModel(["one"])
    await collect(used.stream(asking("hi"), live()))
    expect(expectScriptsDone).not.toThrow()
    scriptedModel(["never asked for"])
    expect(expectScriptsDone).toThrow("never asked for")
    expect(expectScriptsDone).not.toThrow()
  })
})
