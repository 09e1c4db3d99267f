import { describe, expect, test } from "vitest"
import { historyWindow } from "../../../src/loop/agent/create-turn-context.ts"
import { createVirtualContext } from "../../../src/memory/forgetting/plugin/virtual-context.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import type { PromptSource } from "../../../src/prompt/dialect/prompt-source.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"
import { said } from "../../support/turns.ts"

const file = (path: string, body: string): PromptSource => ({ path, attributes: {}, body, firstLine: 1 })
const planner = (body: string) => [
  file("planner.md", `${body}\n\${role(user)}\n\${rest}\n\${question}`),
  file("question.md", "${text}"),
  file("optional.md", "optional"),
]

async function promptOf(body: string, profile: ProfileInput = {}) {
  const dialect = compileDialect({ name: "own", locale: "en", files: planner(`\${role(system)}\n${body}`) })
  return testAgent(scriptedModel([]), { ...profile, dialect }).session.preview("?")
}

describe("R3: variables that any prompt can name", () => {
  test("come from the profile's other settings", async () => {
    const { messages } = await promptOf("${agent_name} ${context_count} ${supported_formats}", {
      history: { contextCount: 7 },
      files: { formats: ["a", "b"] },
    })
    expect(messages[0]?.content).toBe("Fay 13 a, b")
  })

  test("context_count is the number of messages that the window shows at most, for either window (T30, R11)", async () => {
    for (const window of ["slide", "steps"] as const) {
      for (const contextCount of [0, 1, 4]) {
        const { messages } = await promptOf("${context_count}", { history: { contextCount, window } })
        const shown = Array.from({ length: 30 }, (_, length) => {
          const history = Array.from({ length }, (_, at) => said("user", `${at}`))
          return historyWindow(history, { contextCount, window }).length
        })
        expect(messages[0]?.content).toBe(String(Math.max(...shown)))
      }
    }
  })

  test("the profile's own [variables] go before them", async () => {
    const variables = { agent_name: "Nyan", work_mode: true }
    const { messages } = await promptOf("${agent_name} ${work_mode? works : rests}", { variables })
    expect(messages[0]?.content).toBe("Nyan works")
  })

  test("one that two plugins set, or a plugin and the profile's settings, is an error unless [variables] decides", async () => {
    const plugins = [
      { name: "first", variables: { city: "Berlin" } },
      { name: "second", variables: { city: "Paris" } },
    ]
    await expect(promptOf("${city}", { plugins })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/"city" to be set once, found it set by the plugin "first" and by the plugin "second"/),
    })
    const named = [{ name: "own", variables: { agent_name: "Mira" } }]
    await expect(promptOf("${agent_name}", { plugins: named })).rejects.toThrow(/set by the profile and by the plugin "own"/)
    const { messages } = await promptOf("${city}", { plugins, variables: { city: "Rome" } })
    expect(messages[0]?.content).toBe("Rome")
  })

  test("those of a virtual context are its numbers, as the profile's tables set them", async () => {
    const body =
      "${mini_full_context_count} ${max_jump_mini} ${max_jump_large} ${event_remember_years_times} ${event_remember_months_times} ${event_remember_weeks_times} ${event_remember_days_times} ${event_remember_times}"
    const plugin = createVirtualContext({
      compression: { fullMessages: 6 },
      workspace: { decay: { maxJumpMini: 2 } },
      events: { keep: { year: 1, month: 2, week: 3, day: 4, moment: 5 } },
    })
    const { messages } = await promptOf(body, { plugins: [plugin] })
    expect(messages[0]?.content).toContain("6 2 8 1 2 3 4 5")
  })

  test("one without a value leaves its default, which is as fixed as the profile", async () => {
    const { messages, prefixes } = await promptOf("A ${developer_name = nobody} ${work_mode? works : rests} Z")
    expect(messages[0]?.content).toBe("A nobody rests Z")
    const fixed = prefixes.find(({ stability }) => stability === "global")
    expect(fixed?.message === 0 ? fixed.end : Infinity).toBeGreaterThanOrEqual("A nobody rests Z".length)
  })

  test("those that a dialect does not name stand nowhere", async () => {
    const { decisions } = await promptOf("A")
    expect(decisions.map(({ key }) => key)).not.toContain("agent_name")
  })
})

describe("L3 a layer of the profile is not replaced in silence:", () => {
  const profile: ProfileInput = { persona: "I am Fay.", format: "No lists.", final: { system: "Be short." } }
  const tea = { name: "tea", description: "Makes tea.", mode: "inline", priority: 50, metadata: {} } as const
  const none = { allowedTools: [], resources: [], scripts: [], source: { file: "tea.md", line: 1 } }
  const skills = [{ ...tea, ...none, content: { text: "Boil water.", trust: "author" } }] as const

  test.each(["persona", "format", "skills", "final_system"])("a variable or an injection named %s is an error", (key) => {
    const model = scriptedModel([])
    const message = `expected one text for the layer "${key}", found`
    const agents = [
      () => testAgent(model, { ...profile, skills, variables: { [key]: "Mine." } }),
      () => testAgent(model, { ...profile, skills }, { injections: [{ key, content: "Mine." }] }),
    ]
    for (const [at, by] of ["a variable of the profile", "an injection of createAgent"].entries())
      expect(agents[at]).toThrow(`${message} ${by} of the same name.`)
  })

  test("it fills a layer that the profile leaves empty", async () => {
    const injections = [{ key: "persona", content: "I am Mira." }]
    const { messages } = await testAgent(scriptedModel([]), { persona: "", dialect: "stack" }, { injections }).session.preview(
      "?",
    )
    expect(messages[0]?.content).toContain("I am Mira.")
  })
})
