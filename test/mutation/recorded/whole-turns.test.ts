import { expect, test } from "vitest"
import { z } from "zod"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { ModelPart } from "../../../src/core/model/language-model.ts"
import { agentTool } from "../../../src/loop/agent/child/agent-tool.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { type ManualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish } from "../../support/agents.ts"
import { playedTurns, type Scenario } from "../../support/whole-turn.ts"

let timers: ManualTimers

/** Lets time pass once nothing else happens. It is called where the timer that shall ring is set already, or is set at once. */
function passes(ms: number): void {
  setImmediate(() => timers.advance(ms))
}

const clock = defineTool({ name: "clock", description: "Tells the time.", usageHint: "When asked.", execute: () => "11:04" })
const add = defineTool({
  name: "add",
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }, { progress, record }) => {
    progress?.({ progress: 1, total: 2, message: "half" })
    record?.({ kind: "note", tool: "add", summary: `added ${a}` })
    return a + b
  },
})
const breaks = defineTool({ name: "breaks", description: "Fails.", execute: () => Promise.reject(new Error("no such thing")) })
const hangs = defineTool({
  name: "hangs",
  description: "Waits.",
  timeoutMs: 50,
  execute: () => {
    passes(50)
    return new Promise(() => undefined)
  },
})
const waits = defineTool({ name: "waits", description: "Waits.", execute: () => new Promise(() => undefined) })
const long = defineTool({ name: "long", description: "Talks.", maxResultCharacters: 40, execute: () => "word ".repeat(40) })
const guarded = defineTool({ name: "guarded", description: "Pays.", needsApproval: true, execute: () => "paid" })
const smile = defineTool({ name: "smile", description: "Smiles.", withAnswer: true, execute: () => "smiled" })
const tools = [clock, add, breaks, hangs, waits, long, guarded, smile]

const native = { capabilities: { tools: true } }
const text = (delta: string): ModelPart => ({ type: "text-delta", delta })
const call = (name: string, args: object | string = {}, id = name): ModelPart => ({
  type: "tool-call",
  call: { id, name, args: typeof args === "string" ? args : JSON.stringify(args) },
})
const usage: ModelPart = { type: "usage", usage: { inputTokens: 10, inputCacheReadTokens: 4, outputTokens: 3 } }
const busy = new PromptStrataError("model", "the server is busy", { evidence: { isRetryable: true } })
const refused = new PromptStrataError("model", "the key is wrong", { evidence: { isRetryable: false } })

const scenarios: Readonly<Record<string, Scenario>> = {
  "an answer at once": { steps: [[finish("Hello. How are you?"), usage]] },
  "an answer without tools": { steps: ["Hello."], profile: { loop: { mode: "chat" } } },
  "thinking before the answer": { steps: [[{ type: "thinking-delta", delta: "Let me see." }, finish("Hello.")]] },
  "a tool, then the answer": { steps: [callTool("add", { a: 1 }), finish("Two.")], options: { tools } },
  "native calls beside words": {
    steps: [
      [text("I look. "), call("clock"), call("add", { a: 2 }), usage],
      [text("It is four past eleven."), usage],
    ],
    model: native,
    options: { tools },
  },
  "native calls with faults": {
    steps: [[call("clok"), call("add", '{"a":'), call("add", { a: "x" }, "add2"), call("breaks")], "Sorry."],
    model: native,
    options: { tools },
  },
  "unknown tools and wrong arguments": {
    steps: [callTool("clok"), callTool("add", { a: "x" }), callTool("breaks"), finish("Sorry.")],
    options: { tools },
  },
  "output that is no decision": { steps: ["So be it.", '{"action":"dance"}', "Hello."], options: { tools } },
  "output that is no decision, strictly": {
    steps: [`Well: ${finish("x")}`, "no", "Hello."],
    profile: { loop: { strict: true } },
    options: { tools },
  },
  "a tool that takes too long": {
    steps: [callTool("hangs"), finish("Sorry.")],
    options: { tools },
  },
  "a result that is too long": { steps: [callTool("long"), finish("Done.")], options: { tools } },
  "a call that is repeated": { steps: [callTool("clock"), callTool("clock"), "Eleven."], options: { tools } },
  "a call that may be repeated": {
    steps: [callTool("clock"), callTool("clock"), finish("Eleven.")],
    options: { tools: [{ ...clock, repeatable: true }] },
  },
  "steps that run out": {
    steps: [callTool("add", { a: 1 }), callTool("add", { a: 2 }), "Three."],
    profile: { loop: { maxSteps: 2 } },
    options: { tools },
  },
  "a caller who stops": { steps: [callTool("clock"), "Eleven."], options: { tools }, send: { stopWhen: () => true } },
  "other tools for a step": {
    steps: [callTool("add", { a: 1 }), finish("Two.")],
    options: { tools },
    send: { prepareStep: ({ step }) => ({ tools: step === 1 ? ["add"] : [] }) },
  },
  "a call that must be made": {
    steps: [finish("No."), callTool("clock"), finish("Eleven.")],
    options: { tools },
    send: { toolChoice: { tool: "clock" } },
  },
  "a native call that must be made": {
    steps: [[call("clock")], "Eleven."],
    model: native,
    options: { tools },
    send: { toolChoice: "required" },
  },
  "a call with the answer": { steps: [[text("Glad."), call("smile")]], model: native, options: { tools } },
  "a call that the answer needs": {
    steps: ["Glad.", [call("smile")]],
    model: native,
    options: { tools: [{ ...smile, withAnswer: "required" }] },
  },
  "tools that run before": {
    steps: [finish("Eleven.")],
    options: { tools },
    profile: {
      prestart: [{ tool: "clock" }, { tool: "breaks" }, { tool: "add", args: { a: 3 } }],
      tools: { prestartOnly: ["clock"] },
    },
  },
  memories: {
    steps: [finish("Tea.")],
    options: { memory: { recall: async () => [{ text: "likes tea", atMs: 0 }, { text: "likes cats" }] } as never },
  },
  "memories that fail": {
    steps: [finish("Hm.")],
    options: { memory: { recall: () => Promise.reject(new Error("no index")) } as never },
  },
  hooks: {
    steps: [callTool("clock"), finish("Eleven.")],
    options: {
      hooks: [
        {
          name: "adds",
          beforeTurn: ({ addTools, stack, state }) => {
            addTools([clock])
            stack.add("mood", "glad")
            state.set({ seen: 1 })
          },
        },
        {
          name: "fails",
          beforeTurn: () => Promise.reject(new Error("no hook")),
          afterTurn: () => Promise.reject(new Error("no end")),
        },
      ],
    },
  },
  "a call that is allowed": { steps: [callTool("guarded"), finish("Paid.")], options: { tools, confirm: async () => true } },
  "a call that is refused": { steps: [callTool("guarded"), finish("Not paid.")], options: { tools, confirm: async () => false } },
  "a call that waits, is allowed and goes on": {
    steps: [callTool("guarded"), finish("Paid.")],
    options: { tools },
    turns: async function* (session, options) {
      yield session.send("pay", options)
      const [approval] = await session.approvals()
      yield session.approve(approval?.id ?? "")
    },
  },
  "a call that waits and is denied": {
    steps: [callTool("guarded"), finish("Not paid.")],
    options: { tools },
    turns: async function* (session, options) {
      yield session.send("pay", options)
      const [approval] = await session.approvals()
      yield session.deny(approval?.id ?? "", "too much")
    },
  },
  "an agent behind a tool": {
    steps: [callTool("ask", { request: "the time" }), finish("Eleven.")],
    options: { tools: [child([callTool("clock"), [finish("It is 11:04."), usage]])] },
  },
  "an agent behind a tool that fails": {
    steps: [callTool("ask", { request: "the time" }), finish("Sorry.")],
    options: { tools: [child([[refused]])] },
  },
  "a model that is busy once": {
    steps: [[busy], finish("Hello.")],
    profile: { retry: { maxAttempts: 2, baseDelayMs: 100 } },
    on: (event) => event.type === "retry" && passes(event.delayMs),
  },
  "a model that refuses, and another": { steps: [[refused]], next: [finish("Hello.")] },
  "models that all refuse": { steps: [[refused]], next: [[refused]] },
  "a model that breaks off": { steps: [['{"action":"finish","message":"Hel', busy]] },
  "a model that is cut": { steps: [['{"action":"finish","message":"Hel', { type: "finish", reason: "length" }]] },
  "a model that is silent": {
    steps: [
      () => {
        passes(100)
        return [{ stallUntilAborted: true }]
      },
    ],
    profile: { limits: { firstTokenMs: 100 } },
  },
  "a model that falls silent": {
    steps: [['{"action":"finish","message":"Hel', { stallUntilAborted: true }]],
    profile: { limits: { betweenChunksMs: 100 } },
    on: ({ type }) => type === "text-delta" && passes(100),
  },
  "an answer that is aborted": {
    steps: [['{"action":"finish","message":"Hel', { stallUntilAborted: true }]],
    on: ({ type }, turn) => type === "text-delta" && turn.abort(new Error("enough")),
  },
  "a tool that is aborted": {
    steps: [callTool("waits")],
    options: { tools },
    on: ({ type }, turn) => type === "tool-start" && turn.abort(),
  },
  "a value in place of words": {
    steps: [finish(""), '{"city":', '{"city":"Rome"}'],
    send: { output: z.object({ city: z.string() }) },
  },
  "settings of the model and of the loop": {
    steps: [callTool("clock"), finish("Eleven.")],
    options: { tools: [clock] },
    profile: { model: { temperature: 0.5, maxOutputTokens: 77 }, loop: { responseFormat: "json" } },
  },
  "nothing to say": { steps: [finish("<empty_reply>")] },
  "a turn that begins by itself": {
    steps: [finish("The kettle!")],
    turns: async function* (session, options) {
      const { signal } = options
      yield session.wake("The kettle whistles.", { ...(signal && { signal }), to: { id: "ann", name: "Ann" } })
    },
  },
  "words that reply and name": {
    steps: [finish("Hello."), finish("Yes.")],
    turns: async function* (session, options) {
      yield session.send("hi", { ...options, from: { id: "ann", name: "Ann" } })
      yield session.send("and you?", {
        ...options,
        from: { id: "bob" },
        replyTo: "turn-1:0",
        mentions: [{ id: "ann", name: "Ann" }],
      })
    },
  },
  "an answer made again, and another question": {
    steps: [finish("One."), finish("Two."), finish("Three.")],
    turns: async function* (session, options) {
      yield session.send("count", options)
      yield session.regenerate()
      const turn = await session.edit("turn-2:0", "count on")
      if (turn) yield turn
    },
  },
}

function child(steps: Scenario["steps"]) {
  const profile = resolveProfile({ name: "asked", dialect: "layered", locale: "en", retry: { maxAttempts: 1 } })
  return agentTool({
    name: "ask",
    description: "Asks another.",
    profile,
    model: scriptedModel(steps, { id: "asked", chunkSize: 1_000 }),
    tools: [clock],
  })
}

test.each(Object.entries(scenarios))("all that is seen of a turn: %s", async (_, scenario) => {
  const begins = (given: ManualTimers): void => {
    timers = given
  }
  expect(await playedTurns({ ...scenario, begins })).toMatchSnapshot()
})
