import { afterEach, describe, expect, test } from "vitest"
import type { LanguageModel, ModelPart } from "../../../src/core/model/language-model.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, collect, finish, type TestAgent, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const stall = { stallUntilAborted: true } as const

/** Starts a turn, and lets `ms` pass once so many timers run (the turn's own is one of them). */
async function afterSilence({ session, timers }: TestAgent, { pending, ms }: { pending: number; ms: number }) {
  const turn = session.send("？")
  await timers.whenPending(pending)
  timers.advance(ms)
  return turn.result
}

describe("T19 the six limits", () => {
  test("the first token", async () => {
    const given = testAgent(scriptedModel([[stall]]), { limits: { firstTokenMs: 1_000 } })
    const result = await afterSilence(given, { pending: 2, ms: 1_000 })
    expect(result).toMatchObject({ ok: false, error: { code: "model-stall", evidence: { limit: "firstTokenMs" } } })
  })

  test("between chunks, and what was shown stays on the error", async () => {
    const model = scriptedModel([['{"action":"finish","message":"北', stall]])
    const { session, timers } = testAgent(model, { limits: { betweenChunksMs: 1_000 } })
    const turn = session.send("？")
    for await (const delta of turn.textStream) {
      expect(delta).toBe("北")
      timers.advance(60_000)
    }
    const result = await turn.result
    expect(result).toMatchObject({
      ok: false,
      error: { code: "model-stall", evidence: { limit: "betweenChunksMs" } },
      gathered: { text: "北" },
    })
  })

  test("a step, also one whose chunks keep coming", async () => {
    let chunks = 0
    const endless: LanguageModel = {
      id: "endless",
      capabilities: { developerRole: false, tools: false },
      async *stream() {
        for (;;) {
          given.timers.advance(400)
          yield { type: "thinking-delta", delta: String(chunks++) }
        }
      },
    }
    const given = testAgent(endless, { limits: { firstTokenMs: 1_000, betweenChunksMs: 1_000, stepMs: 1_500 } })
    expect(await given.session.send("？").result).toMatchObject({
      ok: false,
      error: { code: "model-stall", evidence: { limit: "stepMs" } },
    })
    expect(chunks).toBeLessThan(6)
  })

  test("a tool: its run fails and the turn goes on", async () => {
    const hanging = defineTool({ name: "hanging", description: "", execute: () => new Promise(() => undefined) })
    const given = testAgent(scriptedModel([callTool("hanging"), finish("好")]), { limits: { toolMs: 500 } }, { tools: [hanging] })
    const turn = given.session.send("？")
    for await (const event of turn) {
      if (event.type === "tool-start") {
        await given.timers.whenPending(2)
        given.timers.advance(500)
      }
    }
    expect(await turn.result).toMatchObject({ ok: true, text: "好", trace: { runs: [{ failure: "timeout" }] } })
  })

  test("prestart, recall and hooks: each is left out and reported", async () => {
    const never = () => new Promise<never>(() => undefined)
    const hanging = defineTool({ name: "hanging", description: "", execute: never })
    const given = testAgent(
      scriptedModel([finish("好")]),
      { limits: { prestartMs: 500 }, prestart: [{ tool: "hanging" }] },
      { tools: [hanging], memory: { recall: never }, hooks: [{ name: "slow", beforeTurn: never }] },
    )
    const result = await afterSilence(given, { pending: 4, ms: 500 })
    expect(result).toMatchObject({ ok: true, text: "好" })
    expect(result.trace.warnings.map(({ kind }) => kind).sort()).toEqual(["hook", "prestart", "recall"])
  })

  test("the whole turn", async () => {
    const given = testAgent(scriptedModel([[stall]]), { limits: { firstTokenMs: 60_000, stepMs: 60_000, turnMs: 2_000 } })
    const result = await afterSilence(given, { pending: 2, ms: 2_000 })
    expect(result).toMatchObject({ ok: false, error: { code: "turn-timeout" } })
  })

  test("no timer and no listener is left behind", async () => {
    const given = testAgent(scriptedModel([finish("好")]))
    await given.session.send("？").result
    expect(given.timers.pending).toBe(0)
  })
})

describe("T20 an abort", () => {
  test("in mid-stream reaches the model, ends the turn as aborted and commits nothing but its words", async () => {
    let modelSawAbort = false
    const model = scriptedModel([['{"action":"finish","message":"北', stall], finish("第二轮")])
    const watched = {
      ...model,
      stream: (request: Parameters<typeof model.stream>[0], options: Parameters<typeof model.stream>[1]) => {
        options.signal.addEventListener("abort", () => {
          modelSawAbort = true
        })
        return model.stream(request, options)
      },
    }
    const { session } = testAgent(watched)
    const turn = session.send("第一轮的话")
    for await (const _ of turn.textStream) turn.abort(new Error("enough"))
    const result = await turn.result
    expect(result).toMatchObject({ ok: false, error: { code: "aborted" }, gathered: { text: "北" } })
    expect(result.ok ? "" : result.error.message).toContain("enough")
    expect(modelSawAbort).toBe(true)
    await session.send("第二轮的话").result
    const shown = JSON.stringify(model.requests[1]?.messages)
    expect(["第一轮的话", "北", "第二轮的话"].filter((words) => !shown.includes(words))).toEqual([])
  })

  test("reaches running tools and prestart tools through their signals", async () => {
    const signals: AbortSignal[] = []
    const hanging = defineTool({
      name: "hanging",
      description: "",
      execute: (_args, { signal }) => {
        signals.push(signal)
        return new Promise(() => undefined)
      },
    })
    for (const during of ["prestart-start", "tool-start"] as const) {
      const prestart = during === "prestart-start" ? [{ tool: "hanging" }] : []
      const model = scriptedModel(during === "tool-start" ? [callTool("hanging")] : [])
      const { session, timers } = testAgent(model, { prestart }, { tools: [hanging] })
      const turn = session.send("？")
      for await (const event of turn) {
        if (event.type !== during) continue
        await timers.whenPending(2)
        await Promise.resolve()
        turn.abort()
      }
      expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
      expect(signals.at(-1)?.aborted).toBe(true)
    }
  })

  test("by a signal given to send, before the turn begins, and while it waits for the one before", async () => {
    const model = scriptedModel([[stall]])
    const { session } = testAgent(model)
    expect(await session.send("？", { signal: AbortSignal.abort() }).result).toMatchObject({
      ok: false,
      error: { code: "aborted" },
    })
    const first = session.send("一")
    for await (const event of first) if (event.type === "step-start") break
    const controller = new AbortController()
    const second = session.send("二", { signal: controller.signal })
    controller.abort()
    expect(await second.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    first.abort()
    await first.result
  })

  test("in any event of a turn leaves one turn-end at the end and no unhandled rejection", async () => {
    const weather = defineTool({ name: "weather", description: "", execute: () => "晴" })
    const script = () => scriptedModel([callTool("weather"), '{"action":"finish"}', "<think>嗯</think>晴。"])
    const whole = await collect(testAgent(script(), { prestart: [{ tool: "weather" }] }, { tools: [weather] }).session.send("？"))
    for (let at = 0; at < whole.length - 2; at++) {
      const { session } = testAgent(unwatched(script), { prestart: [{ tool: "weather" }] }, { tools: [weather] })
      const turn = session.send("？")
      let seen = 0
      const types: string[] = []
      for await (const event of turn) {
        types.push(event.type)
        if (seen++ === at) turn.abort()
      }
      expect(types.filter((type) => type === "turn-end")).toEqual(["turn-end"])
      expect(types.at(-1)).toBe("turn-end")
    }
  })
})

/** A scripted model that may be left unfinished. */
function unwatched(script: () => ReturnType<typeof scriptedModel>) {
  const model = script()
  model.assertDone = () => undefined
  return model
}

describe("N5 the length of an answer", () => {
  /** A model that never stops, and counts what is asked of it. */
  function endless(part: (count: number) => unknown) {
    const asked = { parts: 0, returned: 0 }
    const model: LanguageModel = {
      id: "endless",
      capabilities: { developerRole: false, tools: true },
      async *stream() {
        try {
          // Far more than the limit, but not without end, so that the test fails and does not hang.
          while (asked.parts < 2_000) yield part(asked.parts++) as ModelPart
        } finally {
          asked.returned++
        }
      },
    }
    return { asked, model }
  }

  test("a model that never stops is ended, and what came is the answer", async () => {
    const { asked, model } = endless(() => ({ type: "text-delta", delta: "ten chars." }))
    const { session } = testAgent(model, { loop: { mode: "chat" }, limits: { answerCharacters: 1_000 } })
    const result = await session.send("？").result
    expect(result).toMatchObject({ ok: true, stopReason: "truncated", text: "ten chars.".repeat(100) })
    expect(result.trace.warnings.map(({ message }) => message)).toEqual([
      "endless wrote more than 1000 characters (`limits.answerCharacters`), so its answer ends there.",
    ])
    expect(asked).toEqual({ parts: 101, returned: 1 })
  })

  test.each([
    ["thoughts", () => ({ type: "thinking-delta", delta: "ten chars." })],
    ["tool calls", (count: number) => ({ type: "tool-call", call: { id: `c${count}`, name: "look", args: '{"a": "b"}' } })],
  ])("%s count", async (_, part) => {
    const { asked, model } = endless(part)
    const { session } = testAgent(model, { limits: { answerCharacters: 1_000 }, retry: { maxAttempts: 1 } })
    await session.send("？").result
    expect(asked.parts % 101).toBe(0)
    expect(asked.parts).toBeLessThan(2_000)
  })
})
