import { afterEach, describe, expect, test } from "vitest"
import type { ModelPart } from "../../../src/core/model/language-model.ts"
import type { StepState } from "../../../src/loop/turn/control/step-control.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { readDecision } from "../../../src/reply/decision-reader.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { near, noOption } from "../../support/error-formulas.ts"

afterEach(expectScriptsDone)

const clock = defineTool({ name: "query.time", description: "the time", repeatable: true, execute: () => "12:00" })
const dice = defineTool({ name: "dice", description: "a die", repeatable: true, execute: () => "4" })
const tools = [clock, dice]

const native = (name: string): ModelPart => ({ type: "tool-call", call: { id: `id_${name}`, name, args: "{}" } })

function agentWith(steps: readonly ScriptedStep[], mode: "json" | "native" | "chat" = "json", locale: "en" | "zh-CN" = "en") {
  const model = scriptedModel(steps, { capabilities: { tools: true } })
  const { session, agent } = testAgent(model, { dialect: "layered", locale, loop: { mode } }, { tools })
  return { model, session, agent }
}

describe("toolChoice with JSON decisions", () => {
  test("a call that must be made is told in the prompt and asked for again; the answer in its place is not shown", async () => {
    const { model, session } = agentWith([finish("It is noon."), callTool("query.time"), finish("12:00.")])
    const turn = session.send("What time is it?", { toolChoice: { tool: "query.time" } })
    const result = await turn.result
    expect(result).toMatchObject({ ok: true, text: "12:00.", stopReason: "finish" })
    expect(result.trace.runs).toMatchObject([{ tool: "query.time", status: "ok" }])
    const told = "Call the tool query.time in this turn before you answer."
    const shown = model.requests.map(({ messages }) => messages.map(({ content }) => content).join("\n"))
    expect(shown[0]).toContain(told)
    expect(shown[1]).toContain(`Your last output was not accepted. ${told}`)
    expect(model.requests.every(({ toolChoice }) => toolChoice === undefined)).toBe(true)
  })

  test("a call that must be made is told to the planner alone, not where the answer is written", async () => {
    const model = scriptedModel([callTool("dice"), "Four."], { capabilities: { tools: true } })
    const { session } = testAgent(model, { dialect: "layered", locale: "en", loop: { maxSteps: 1 } }, { tools })
    expect(await session.send("Roll.", { toolChoice: "required" }).result).toMatchObject({ ok: true, text: "Four." })
    const told = model.requests.map(({ messages }) => JSON.stringify(messages).includes("before you answer"))
    expect(told).toEqual([true, false])
  })

  test("the wording exists in Chinese", async () => {
    const { model, session } = agentWith([callTool("dice"), finish("四")], "json", "zh-CN")
    expect(await session.send("掷", { toolChoice: "required" }).result).toMatchObject({ ok: true, text: "四" })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("这一轮在回答之前，先调用一个工具。")
  })

  test("a call where none may be made is not run, and after a second one the answer is made of what there is", async () => {
    const { session } = agentWith([callTool("dice"), callTool("dice"), "Four, I guess."])
    const result = await session.send("Roll.", { toolChoice: "none" }).result
    expect(result).toMatchObject({ ok: true, text: "Four, I guess.", trace: { runs: [] } })
    expect(result.trace.warnings.map(({ message }) => message)).toContain(
      "The planner did not keep to `toolChoice`, also when it was asked again.",
    )
  })

  test("a message beside the call that must be made is left out and reported", async () => {
    const both = JSON.stringify({ action: "finish", message: "Rolling!", tool: "dice", args: {} })
    const { session } = agentWith([both, finish("4")])
    const result = await session.send("Roll.", { toolChoice: "required" }).result
    expect(result).toMatchObject({ ok: true, text: "4", trace: { runs: [{ tool: "dice" }] } })
    expect(JSON.stringify(result.trace.warnings)).toContain("Rolling!")
  })

  test("without these options a decision is read as before", () => {
    expect(readDecision(finish("hi"))).toMatchObject({ action: "finish", message: "hi" })
  })
})

describe("toolChoice with native calls", () => {
  test("is sent until the call was made, by the name that the provider knows", async () => {
    const { model, session } = agentWith([[native("query_time")], "12:00."], "native")
    expect(await session.send("?", { toolChoice: { tool: "query.time" } }).result).toMatchObject({ ok: true, text: "12:00." })
    expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual([{ tool: "query_time" }, "auto"])
  })

  test("a call that the model makes all the same is not run, and one that it does not make is reported", async () => {
    const { session } = agentWith([["Four.", native("dice")], "Noon."], "native")
    const first = await session.send("Roll.", { toolChoice: "none" }).result
    expect(first).toMatchObject({ ok: true, text: "Four.", trace: { runs: [] } })
    expect(JSON.stringify(first.trace.warnings)).toContain("called dice, which `toolChoice` forbids")
    const second = await session.send("When?", { toolChoice: "required" }).result
    expect(JSON.stringify(second.trace.warnings)).toContain("did not make the call")
  })
})

describe("stopWhen", () => {
  test.each(["json", "native"] as const)(
    "ends the planning of a %s turn; the answer is made of what was gathered",
    async (mode) => {
      const call: ScriptedStep = mode === "json" ? callTool("dice") : [native("dice")]
      const { session } = agentWith([call, call, "Eight."], mode)
      const seen: StepState[] = []
      const result = await session.send("Roll twice.", {
        stopWhen: (state) => {
          seen.push(state)
          return state.runs.length === 2
        },
      }).result
      expect(result).toMatchObject({ ok: true, text: "Eight.", stopReason: "stopped" })
      expect(seen.map(({ runs, tools: names }) => [runs.length, names])).toEqual([
        [1, ["query.time", "dice"]],
        [2, ["query.time", "dice"]],
      ])
    },
  )
})

test.each<["json" | "native", readonly ScriptedStep[], readonly unknown[]]>([
  [
    "json",
    [callTool("dice"), "Eight."],
    [
      ["planner", 2],
      ["final", 0],
    ],
  ],
  [
    "native",
    [[native("dice")], "Eight."],
    [
      ["native", 2],
      ["final", 0],
    ],
  ],
])("a model that is code is told the tools of each %s step, and of a final output none", async (mode, steps, told) => {
  const { model, session } = agentWith(steps, mode)
  await session.send("Roll.", { stopWhen: () => true }).result
  expect(model.requests.map(({ facts }) => [facts?.prompt, facts?.tools.length])).toEqual(told)
})

test("`stopWhen` is asked after a call that came beside an answer, which then ends the turn", async () => {
  const both = JSON.stringify({ action: "finish", message: "I roll.", tool: "dice", args: {} })
  for (const stops of [true, false]) {
    const seen: number[] = []
    const { session } = agentWith(stops ? [both] : [both, finish("A four.")])
    const result = await session.send("Roll.", { stopWhen: ({ runs }) => seen.push(runs.length) > 0 && stops }).result
    expect(result).toMatchObject({ ok: true, stopReason: "finish", text: stops ? "I roll." : expect.stringContaining("A four.") })
    expect(result.trace.steps).toHaveLength(stops ? 1 : 2)
    expect(seen[0]).toBe(1)
  }
})

describe("prepareStep", () => {
  test("offers other tools and asks another model, for one step", async () => {
    const strong = scriptedModel([finish("Done.")], { id: "strong" })
    const { model, session } = agentWith([callTool("dice")])
    const result = await session.send("Roll.", {
      prepareStep: ({ step }) => (step === 1 ? { tools: ["dice"] } : { model: strong }),
    }).result
    expect(result).toMatchObject({ ok: true, text: "Done." })
    expect(result.trace.steps.map((step) => step.model)).toEqual(["scripted", "strong"])
    expect(model.requests[0]?.facts?.tools.map(({ name }) => name)).toEqual(["dice"])
    expect(strong.requests[0]?.facts?.tools.map(({ name }) => name)).toEqual(["query.time", "dice"])
  })

  test("a native step that a tool was taken from cannot call it", async () => {
    const { model, session } = agentWith([[native("dice")], "No dice."], "native")
    const result = await session.send("Roll.", { prepareStep: () => ({ tools: ["query.time"] }) }).result
    expect(result.trace.runs).toMatchObject([{ tool: "dice", failure: "unknown-tool" }])
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(["query_time"])
  })

  test("chooses the model of a chat and of a final output; the agent's own one follows if it fails", async () => {
    const other = scriptedModel(["Hello.", [new Error("down")]], { id: "other" })
    const { session } = agentWith(["Hi."], "chat")
    const options = { prepareStep: () => ({ model: other }) }
    const first = await session.send("Hi", options).result
    expect(first.trace.steps.map((step) => step.model)).toEqual(["other"])
    const second = await session.send("Hi", options).result
    expect(second.trace.steps.map((step) => step.model)).toEqual(["other", "scripted"])
  })

  test("its choice of calls holds for its step alone", async () => {
    const { session } = agentWith([callTool("dice"), callTool("query.time"), finish("4 at 12:00")])
    const result = await session.send("?", {
      prepareStep: ({ step }) => (step === 2 ? { toolChoice: { tool: "query.time" } } : undefined),
    }).result
    expect(result.trace.runs.map(({ tool }) => tool)).toEqual(["dice", "query.time"])
  })
})

describe("mistakes end the turn with a clear error", () => {
  test.each([
    [{ toolChoice: { tool: "dise" } }, `toolChoice names "dise", which is no tool of this step.${near("dice")}`],
    [{ toolChoice: { tool: "dice", args: {} } as never }, noOption("toolChoice", "args")],
    [{ toolChoice: "must" as never }, 'expected toolChoice to be auto, none, required or { tool }, found "must".'],
    [{ prepareStep: () => ({ tools: ["clock"] }) }, '`tools` of prepareStep names "clock"'],
    [{ prepareStep: () => ({ tool: [] }) as never }, `${noOption("prepareStep", "tool")}${near("tools")}`],
    [{ prepareStep: () => ({ model: "gpt" as never }) }, 'expected `model` of prepareStep to be a model, found "gpt".'],
    [
      { prepareStep: () => ({ tools: [], toolChoice: "required" as const }) },
      'toolChoice is "required", but this step has no tools.',
    ],
    [
      {
        prepareStep: () => {
          throw new Error("no plan")
        },
      },
      "prepareStep failed: no plan",
    ],
  ])("%j", async (options, message) => {
    const { session } = agentWith([])
    const result = await session.send("?", options).result
    expect(result).toMatchObject({ ok: false, error: { code: "usage" } })
    expect(!result.ok && result.error.message).toContain(message)
  })

  test("a `stopWhen` that throws is named", async () => {
    const { session } = agentWith([callTool("dice")])
    const stopWhen = () => {
      throw new Error("no end")
    }
    const result = await session.send("?", { stopWhen }).result
    expect(result).toMatchObject({ ok: false, error: { code: "usage", message: "stopWhen failed: no end" } })
  })

  test("a function that never answers is given up with the turn", async () => {
    const { session } = agentWith([])
    const turn = session.send("?", { prepareStep: () => new Promise<never>(() => undefined) })
    setImmediate(() => turn.abort())
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
  })

  test("in a chat, which offers no tools, a forced call is reported", async () => {
    const { session } = agentWith(["Hi."], "chat")
    const result = await session.send("Hi", { toolChoice: "required" }).result
    expect(JSON.stringify(result.trace.warnings)).toContain("mode `chat` offers no tools")
  })
})

test("respond takes the same options", async () => {
  const { agent } = agentWith([callTool("dice"), finish("4")])
  const turn = agent.respond([{ role: "user", content: "Roll." }], { toolChoice: "required" })
  expect(await turn.result).toMatchObject({ ok: true, text: "4", trace: { runs: [{ tool: "dice" }] } })
})
