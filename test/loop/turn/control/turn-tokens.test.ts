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
  turnTokens?: number,
  { tool = weather, ...more }: ProfileInput & { tool?: typeof weather } = {},
) {
  const model = scriptedModel(steps)
  const made = testAgent(model, { ...plain, ...more, limits: { turnTokens } }, { tools: [tool] })
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
      code: "turn-tokens",
      evidence: { limitTokens: 104 + sent(second), usedTokens: 105, estimatedTokens: 0, requestTokens: sent(second) },
    },
    gathered: { runs: [{ tool: "weather", result: "21 degrees" }] },
  })
  expect([over.model.requests.length, result.trace.steps.length]).toEqual([1, 1])
  expect((await over.session.history()).map(({ text }) => text)).toEqual(["How warm is it?"])
})

test("T57 not even the first request of a turn is sent if it is too large by itself", async () => {
  const { model, result } = ask([], 5)
  expect(await result).toMatchObject({ ok: false, error: { code: "turn-tokens", evidence: { usedTokens: 0 } } })
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
  const { usedTokens = 0, estimatedTokens } = error.evidence
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
    error: { code: "turn-tokens", evidence: { usedTokens: 5_115, estimatedTokens: 0 } },
  })
})
