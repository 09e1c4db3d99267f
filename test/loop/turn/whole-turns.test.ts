import { expect, test } from "vitest"
import { z } from "zod"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { ModelPart, ModelRequest } from "../../../src/core/model/language-model.ts"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import type { Turn } from "../../../src/loop/agent/turn.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { ToolRun } from "../../../src/prompt/tools/tool.ts"
import { type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import type { TurnEvent, TurnResult } from "../../../src/trace/turn-event.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { lineChanges } from "../../support/line-changes.ts"

interface Scenario {
  readonly steps: readonly ScriptedStep[]
  readonly profile?: ProfileInput
  readonly options?: Partial<AgentOptions>
  /** The turn after the first one. */
  readonly next?: (session: Session) => Promise<Turn>
}

const clock = defineTool({ name: "clock", description: "Tells the time.", usageHint: "When asked.", execute: () => "11:04" })
const add = defineTool({
  name: "add",
  description: "Adds.",
  inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
  execute: ({ a, b }, { progress }) => {
    progress?.({ progress: 1, total: 2 })
    return a + b
  },
})
const breaks = defineTool({ name: "breaks", description: "Fails.", execute: () => Promise.reject(new Error("no such thing")) })
const pay = defineTool({ name: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" })

const text = (delta: string): ModelPart => ({ type: "text-delta", delta })
const call = (name: string, args: object = {}): ModelPart => ({
  type: "tool-call",
  call: { id: `native-${name}`, name, args: JSON.stringify(args) },
})
const fault = (message: string, isRetryable: boolean) => new PromptStrataError("model", message, { evidence: { isRetryable } })

const scenarios: Readonly<Record<string, Scenario>> = {
  "a plain answer": { steps: [[{ type: "thinking-delta", delta: "A greeting." }, finish("Hello. How are you?")]] },
  "native calls": {
    steps: [[text("I look. "), call("clock"), call("add", { a: 2 })], [text("It is four past eleven.")]],
    profile: { loop: { mode: "native" } },
    options: { tools: [clock, add] },
  },
  "calls in JSON": {
    steps: [callTool("clock"), callTool("add", { a: 1 }), finish("Two past eleven.")],
    options: { tools: [clock, add] },
  },
  "tools that fail": {
    steps: [callTool("clok"), callTool("add", { a: "x" }), callTool("breaks"), finish("Sorry.")],
    options: { tools: [clock, add, breaks] },
  },
  "an approval": {
    steps: [callTool("pay"), finish("Paid.")],
    options: { tools: [pay] },
    async next(session) {
      const [approval] = await session.approvals()
      return session.approve(approval?.id ?? "")
    },
  },
  memories: {
    steps: [finish("Tea.")],
    options: { memory: { recall: async () => [{ text: "likes tea", atMs: 0 }, { text: "likes cats" }] } as never },
  },
  "an answer that is cut": {
    steps: [['{"action":"finish","message":"Once upon a', { type: "finish", reason: "length" }]],
  },
  "a model that fails": {
    steps: [[fault("the server is busy", true)], [fault("the key is wrong", false)]],
    profile: { retry: { maxAttempts: 2, baseDelayMs: 100 } },
  },
}

/** Plays a scenario of `hi`. Returns its events and results, a line each, and the messages of its last request. */
async function played({ steps, profile, options, next }: Scenario) {
  const tools = profile?.loop?.mode === "native"
  const model = scriptedModel(steps, { chunkSize: 1_000, capabilities: { tools } })
  const { session, timers } = testAgent(model, { locale: "en", ...profile }, options)
  const lines: string[] = []
  const play = async (turn: Turn): Promise<void> => {
    for await (const event of turn) {
      lines.push(eventLine(event))
      if (event.type === "retry") setImmediate(() => timers.advance(event.delayMs))
    }
  }
  await play(session.send("hi"))
  if (next) await play(await next(session))
  for (const { role, text } of await session.history()) lines.push(`kept ${role}: ${text}`)
  return { events: `${lines.join("\n")}\n`, prompt: (model.requests.at(-1)?.messages ?? []).map(messageText).join("\n") }
}

/** An event without its times, ids and token counts: other tests hold those. */
function eventLine(event: TurnEvent): string {
  const { type } = event
  if (type === "step-start") return `${type} ${event.step} ${event.prompt}`
  if (type === "step-end") return `${type} ${event.step} ${event.error ?? JSON.stringify(event.decision)}`
  if (type === "thinking-delta" || type === "text-delta") return `${type} ${event.delta}`
  if (type === "bubble") return `${type} ${event.text}`
  if (type === "retry") return `${type} ${event.reason}`
  if (type === "tool-start") return `${type} ${event.tool} ${JSON.stringify(event.args)}`
  if (type === "tool-progress") return `${type} ${event.tool} ${event.progress.progress} of ${event.progress.total}`
  if (type === "tool-end") return `${type} ${runText(event.run)}`
  if (type === "warning") return `${type} ${event.warning.message}`
  return type === "turn-end" ? `${type} ${resultText(event.result)}` : type
}

const runText = ({ tool, status, failure, result }: ToolRun) => `${tool} ${failure ?? status}: ${result.replaceAll("\n", "⏎")}`

function resultText(result: TurnResult): string {
  if (!result.ok) return `failed: ${result.error.message}`
  return [result.stopReason, result.text, ...(result.approvals ?? []).map(({ tool }) => `waits: ${tool}`)].join(" ")
}

function messageText({ role, content, ...more }: ModelRequest["messages"][number]): string {
  const calls = "toolCalls" in more ? ` ${JSON.stringify(more.toolCalls)}` : ""
  return `── ${role}${calls}\n${typeof content === "string" ? content : JSON.stringify(content)}\n`
}

const names = Object.keys(scenarios)
const path = (name: string, what: string): string => `__snapshots__/turns/${name.replaceAll(" ", "-").toLowerCase()}.${what}`

test.each(names)("these events are seen in a turn with %s", async (name) => {
  const { events } = await played(scenarios[name] as Scenario)
  await expect(events).toMatchFileSnapshot(path(name, "events.txt"))
})

/** The last two have the prompt of a plain answer. */
const [plain = "", ...others] = names.slice(0, -2)

test(`a turn with ${plain} ends in this prompt`, async () => {
  const { prompt } = await played(scenarios[plain] as Scenario)
  await expect(prompt).toMatchFileSnapshot(path(plain, "prompt.md"))
})

test.each(others)(`a turn with %s ends in the prompt of ${plain}, but for these lines`, async (name) => {
  const [{ prompt: usual }, { prompt }] = [await played(scenarios[plain] as Scenario), await played(scenarios[name] as Scenario)]
  await expect(lineChanges(usual, prompt)).toMatchFileSnapshot(path(name, "prompt.md"))
})
