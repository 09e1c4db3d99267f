import { describe, expect, test } from "vitest"
import type { BeforeTurnContext } from "../../../src/memory/services/turn-hook.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { ToolRun } from "../../../src/prompt/tools/tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

/** A conversation of three turns, then what the fourth one's prompt shows of it to a hook's taste. */
async function shown(change: (context: BeforeTurnContext) => void) {
  const model = scriptedModel([finish("one"), finish("two"), finish("three"), finish("four")])
  const hook = { name: "h", beforeTurn: (context: BeforeTurnContext) => (context.turn === 3 ? change(context) : undefined) }
  const { session } = testAgent(model, { dialect: "root", locale: "en", timeZone: "UTC" }, { hooks: [hook] })
  for (const text of ["first", "second", "third"]) await session.send(text).result
  await session.send("fourth").result
  const { messages } = model.requests[3] ?? { messages: [] }
  return messages.slice(1, -1).map(({ content }) => content.replace(/\d{8} 3:04 /, ""))
}

const whole = ["^主人:first", "one", "^主人:second", "two", "^主人:third", "three"]

describe("what a hook shows of the conversation", () => {
  test("R12 replaceAnswer puts an answer in other words, the user's stay, and the conversation itself stays", async () => {
    expect(await shown(({ replaceAnswer }) => replaceAnswer("turn-2", "2"))).toEqual(whole.with(3, "2"))
    expect(await shown(({ replaceAnswer }) => replaceAnswer("turn-9", "2"))).toEqual(whole)
  })

  test("R11 startHistoryAt begins with a turn's first message; a turn that is not in the window changes nothing", async () => {
    expect(await shown(({ startHistoryAt }) => startHistoryAt("turn-2"))).toEqual(whole.slice(2))
    expect(await shown(({ startHistoryAt }) => startHistoryAt("turn-9"))).toEqual(whole)
  })

  test("a hook that fails shows nothing in its own way", async () => {
    const change = ({ startHistoryAt, replaceAnswer }: BeforeTurnContext) => {
      startHistoryAt("turn-2")
      replaceAnswer("turn-2", "2")
      throw new Error("no")
    }
    expect(await shown(change)).toEqual(whole)
  })
})

describe("onRun", () => {
  const echo = defineTool({ name: "echo", description: "Says it", execute: () => "said" })

  test("hears of each run of the model's once it has ended, and what it throws is a warning", async () => {
    const heard: Pick<ToolRun, "tool" | "result">[] = []
    const hooks = [
      {
        name: "broken",
        beforeTurn: ({ onRun }: BeforeTurnContext) =>
          onRun(() => {
            throw new Error("deaf")
          }),
      },
      {
        name: "hearing",
        beforeTurn: ({ onRun }: BeforeTurnContext) => onRun(({ tool, result }) => void heard.push({ tool, result })),
      },
    ]
    const model = scriptedModel([callTool("echo"), finish("done")])
    const { session } = testAgent(model, {}, { hooks, tools: [echo] })
    const { ok, trace } = await session.send("?").result
    expect(ok).toBe(true)
    expect(heard).toEqual([{ tool: "echo", result: "said" }])
    expect(JSON.stringify(trace)).toContain("deaf")
  })
})

describe("a tool named beside the answer (R16)", () => {
  const note = (withAnswer: boolean) => defineTool({ name: "note", description: "Notes", withAnswer, execute: () => "noted" })
  const both = JSON.stringify({ action: "finish", message: "Here.", tool: "note", args: { used: ["a"] } })

  test.each([
    { name: "runs where it is such a tool", tools: [note(true)], runs: ["noted"] },
    {
      name: "does not run where it is unknown",
      tools: [],
      runs: [],
      warnings: [expect.stringContaining("a call of note, which is no")],
    },
  ])("$name, and the answer stands", async ({ tools, runs, warnings = [] }) => {
    const { session } = testAgent(scriptedModel([both]), {}, { tools })
    const result = await session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "Here." })
    expect(result.trace.runs.map((run) => run.result)).toEqual(runs)
    expect(result.trace.steps.length).toBe(1)
    expect(result.trace.warnings.map(({ message }) => message)).toEqual(warnings)
  })

  test("runs where it is an ordinary one, and the planner goes on with its result", async () => {
    const model = scriptedModel([both, finish("Noted.")])
    const { session } = testAgent(model, { dialect: "layered" }, { tools: [note(false)] })
    const result = await session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "Here.\n\nNoted.", stopReason: "finish" })
    expect(result.trace.runs).toMatchObject([{ tool: "note", args: { used: ["a"] }, result: "noted" }])
    expect(model.requests[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: both },
      { role: "user", content: expect.stringContaining("noted") },
    ])
  })

  test("one that fails leaves the answer as it is", async () => {
    const failing = defineTool({
      name: "note",
      description: "Notes",
      withAnswer: true,
      execute: () => {
        throw new Error("full")
      },
    })
    const { session } = testAgent(scriptedModel([both]), {}, { tools: [failing] })
    const result = await session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "Here." })
    expect(result.trace.runs.map(({ status }) => status)).toEqual(["failed"])
  })

  test("an ordinary one that is repeated, or fails twice, ends the turn with the answer, which the trace tells", async () => {
    const repeated = await testAgent(scriptedModel([both, both]), {}, { tools: [note(false)] }).session.send("?").result
    expect(repeated).toMatchObject({ ok: true, stopReason: "finish" })
    expect(repeated.trace.warnings).toMatchObject([{ kind: "model", message: expect.stringContaining("had its result already") }])
    const failing = defineTool({ name: "note", description: "Notes", execute: () => Promise.reject(new Error("full")) })
    const failed = await testAgent(scriptedModel([both, both]), {}, { tools: [failing] }).session.send("?").result
    expect(failed).toMatchObject({ ok: true, stopReason: "finish" })
    expect(failed.trace.warnings).toMatchObject([{ kind: "model", message: expect.stringContaining("failed again") }])
  })
})

describe("several decisions in one output (T21)", () => {
  const echo = defineTool({ name: "echo", description: "", execute: () => "said" })
  const second = '{"action":"tool","tool":"echo","args":{"n":2}}'

  test.each(["layered", "fay"])("the first call runs; the model and the trace hear of the rest in %s", async (dialect) => {
    const model = scriptedModel([`${callTool("echo", { n: 1 })}\n${second}`, second, finish("done")])
    const result = await testAgent(model, { dialect, locale: "en" }, { tools: [echo] }).session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "done" })
    expect(result.trace.runs.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 2 }])
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("Only the first was carried out")
    expect(result.trace.warnings).toMatchObject([{ kind: "model", message: expect.stringContaining(second) }])
    expect(result.trace.steps.map(({ decision }) => decision)).toMatchObject([{ ignored: second }, {}, {}])
    expect(result.trace.runs[1]?.result).toBe("said")
  })

  test("a call behind an answer is not run, which the trace tells", async () => {
    const result = await testAgent(scriptedModel([`${finish("Hi.")} ${second}`]), {}, { tools: [echo] }).session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "Hi.", stopReason: "finish" })
    expect(result.trace.runs).toEqual([])
    expect(result.trace.warnings).toMatchObject([{ kind: "model", message: expect.stringContaining(second) }])
  })
})

describe("a name that stands twice in a call (T21)", () => {
  const pay = defineTool({ name: "pay", description: "", execute: (args) => JSON.stringify(args) })
  const args = '{"to":"bob","amount":10,"amount":1000}'
  const json = (text: string) => ({
    steps: [`{"action":"tool","tool":"pay","args":${text}}`, finish("done")],
    mode: "json" as const,
  })
  const native = (text: string) => ({
    steps: [[{ type: "tool-call" as const, call: { id: "c1", name: "pay", args: text } }], "done"],
    mode: "native" as const,
  })

  test.each([
    ["json", json(args)],
    ["native", native(args)],
    ["json, repaired", json(`{'to':'bob','amount':10,'amount':1000,}`)],
    ["json, as text", json(JSON.stringify(args))],
    ["json, further in", json('{"to":"bob","amount":10,"by":[{"amount":1,"amount":2}]}')],
    ["native, repaired", native(`{'to':'bob','amount':10,'amount':1000,}`)],
  ])("the first value counts, which the model and the trace are told: %s", async (_, { steps, mode }) => {
    const model = scriptedModel(steps, { capabilities: { tools: true } })
    const { session } = testAgent(model, { dialect: "layered", locale: "en", loop: { mode } }, { tools: [pay] })
    const result = await session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "done" })
    expect(result.trace.runs.map((run) => run.args)).toMatchObject([{ to: "bob", amount: 10 }])
    expect(result.trace.runs[0]?.result).toContain("In your last call the name amount stood twice.")
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("In your last call the name amount stood twice.")
    expect(result.trace.warnings).toMatchObject([{ kind: "model", message: expect.stringContaining('"amount" twice') }])
  })

  test("of a decision's own members, too", async () => {
    const twice = '{"action":"tool","tool":"pay","args":{"amount":1},"args":{"amount":2}}'
    const both = '{"action":"finish","message":"one","message":"two"}'
    const result = await testAgent(scriptedModel([twice, both]), {}, { tools: [pay] }).session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "one" })
    expect(result.trace.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('"args" twice'),
      expect.stringContaining('"message" twice'),
    ])
  })
})
