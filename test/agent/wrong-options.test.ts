import { describe, expect, test } from "vitest"
import { createAgent } from "../../src/agent/agent.ts"
import type { AgentOptions } from "../../src/agent/agent-options.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { scriptedModel } from "../../src/testing/index.ts"

describe("options of createAgent that only JavaScript allows", () => {
  const profile = resolveProfile()
  const model = scriptedModel([])
  const noModel = "createAgent expected a LanguageModel as `model`."
  test.each([
    ["no model", { profile }, noModel],
    ["a model's name", { profile, model: "gpt" }, noModel],
    ["a list with a hole", { profile, model: [model, undefined] }, noModel],
    ["a promised profile", { profile: Promise.resolve(profile), model }, "createAgent expected an awaited `profile`."],
  ])("%s is refused at once, not in the first turn", (_, options, message) => {
    expect(() => createAgent(options as unknown as AgentOptions)).toThrow(expect.objectContaining({ code: "usage", message }))
  })
})
