import { expect, test } from "vitest"
import type { Usage } from "../../../../src/core/model/language-model.ts"
import { agentTool } from "../../../../src/loop/agent/child/agent-tool.ts"
import type { ProfileInput } from "../../../../src/profile/profile.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import type { TraceStep } from "../../../../src/trace/trace.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"

const used = (text: string, usage: Usage): ScriptedStep => [text, { type: "usage", usage }, { type: "finish", reason: "stop" }]
const weather = defineTool({ name: "weather", description: "The weather.", execute: () => "21 degrees" })
const plain = { dialect: "layered", locale: "en", memory: { enabled: false } } as const

function ask(
  steps: readonly ScriptedStep[],
  limit?: number | ProfileInput["limits"],
  { tool = weather, ...more }: ProfileInput & { tool?: typeof weather } = {},
) {
  const model = scriptedModel(steps)
  const made = testAgent(
    model,
    { ...plain, ...more, limits: typeof limit === "object" ? limit : { turnTokens: limit } },
    { tools: [tool] },
  )
  return { ...made, model, result: made.session.send("How warm is it?").result }
}

const sent = ({ assembly }: TraceStep) => assembly.tokens + assembly.overheadTokens

test("T57 a request that would take the turn over its tokens is not sent, and the turn ends with a typed error", async () => {
  const steps = [
    used(callTool("weather"), { inputTokens: 100, outputTokens: 5 }),
    used(finish("21."), { inputTokens: 1, outputTokens: 1 }),
  ]
  const [, second] = (await ask(steps).result).trace.steps as [TraceStep, TraceStep]
  expect((await ask(steps, 105 + sent(second)).result).ok).toBe(true)
  const over = ask(steps, 105 + sent(second) - 1)
  const result = await over.result
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: "spending-limit",
      evidence: { limit: "turnTokens", most: 104 + sent(second), used: 105, estimated: 0, asked: sent(second) },
    },
    gathered: { runs: [{ tool: "weather", result: "21 degrees" }] },
  })
  expect([over.model.requests.length, result.trace.steps.length]).toEqual([1, 1])
  expect((await over.session.history()).map(({ text }) => text)).toEqual(["How warm is it?"])
})

test("T57 not even the first request of a turn is sent if it is too large by itself", async () => {
  const { model, result } = ask([], 5)
  expect(await result).toMatchObject({ ok: false, error: { code: "spending-limit", evidence: { used: 0 } } })
  expect(model.requests).toEqual([])
})

test("T57 calls without usage count by an estimate, which is told apart; one that failed without a word counts nothing", async () => {
  const busy = Object.assign(new Error("busy"), { isRetryable: true })
  const steps: readonly ScriptedStep[] = [[busy], callTool("weather"), finish("21.")]
  const retry = { maxAttempts: 2, baseDelayMs: 1 }
  const waited = async (turnTokens?: number) => {
    const { result, timers } = ask(steps, turnTokens, { retry })
    for (let round = 0; round < 200; round++) {
      await new Promise(setImmediate)
      timers.advance(1_000)
    }
    return result
  }
  const [, first, second] = (await waited()).trace.steps as [TraceStep, TraceStep, TraceStep]
  const { error } = (await waited(sent(first) + sent(second))) as { error: { message: string; evidence: Record<string, number> } }
  const { used: usedTokens = 0, estimated: estimatedTokens } = error.evidence
  expect(estimatedTokens).toBe(usedTokens)
  expect(usedTokens - sent(first)).toBeGreaterThan(0)
  expect(usedTokens - sent(first)).toBeLessThan(30)
  expect(error.message).toContain(`${usedTokens} of them by estimate`)
  expect((await waited(usedTokens + sent(second))).ok).toBe(true)
})

test("T57 what child agents used counts to the turn", async () => {
  const child = () =>
    agentTool({
      ...{
        name: "helper",
        description: "Helps.",
        model: scriptedModel([used(finish("21"), { inputTokens: 5_000, outputTokens: 10 })]),
      },
      profile: resolveProfile({ name: "helper", dialect: "layered", locale: "en", retry: { maxAttempts: 1 } }),
    })
  const steps = [used(callTool("helper", { request: "the weather" }), { inputTokens: 100, outputTokens: 5 }), finish("21.")]
  expect(await ask(steps, 5_200, { tool: child() }).result).toMatchObject({
    ok: false,
    error: { code: "spending-limit", evidence: { used: 5_115, estimated: 0 } },
  })
})

const prices = { scripted: { input: 2, cacheRead: 1, output: 10 } }

test("T57 money is counted by the profile's prices, cached input and output apart, and estimated for the next request", async () => {
  const usage = { inputTokens: 100_000, inputCacheReadTokens: 40_000, outputTokens: 10_000 }
  const steps = [used(callTool("weather"), usage), used(finish("21."), { inputTokens: 1, outputTokens: 1 })]
  const [, second] = (await ask(steps).result).trace.steps as [TraceStep, TraceStep]
  // 60,000 at 2, 40,000 at 1, 10,000 at 10.
  const most = 0.26 + (sent(second) * 2) / 1_000_000
  expect((await ask(steps, { turnUsd: most + 1e-9 }, { prices }).result).ok).toBe(true)
  expect(await ask(steps, { turnUsd: most - 1e-6 }, { prices }).result).toMatchObject({
    ok: false,
    error: { code: "spending-limit", evidence: { limit: "turnUsd", used: 0.26, estimated: 0 } },
  })
})

test("T57 under a limit of money a model without a price is not asked, and the error says where to write one", async () => {
  const { model, result } = ask([], { turnUsd: 1 })
  const told = await result
  expect(told).toMatchObject({ ok: false, error: { code: "spending-limit", evidence: { limit: "turnUsd", most: 1 } } })
  expect(told.ok ? "" : told.error.message).toContain('[prices."scripted"]')
  expect(model.requests).toEqual([])
})
