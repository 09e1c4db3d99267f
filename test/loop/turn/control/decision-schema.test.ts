import { describe, expect, test } from "vitest"
import { z } from "zod"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { recordOf } from "../../../../src/core/json-access.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { createDecisionReader } from "../../../../src/reply/decision-reader.ts"
import { type ScriptedModel, type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"

const weather = defineTool({
  name: "weather",
  description: "",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: rain`,
})

const keeping = (steps: readonly ScriptedStep[], capabilities: object = { jsonSchema: true }) =>
  scriptedModel(steps, { capabilities })

/** The schema that a request asks for. */
function schemaOf({ requests }: ScriptedModel, at = 0) {
  const { schema } = recordOf(requests[at]?.responseFormat)
  return schema === undefined ? undefined : recordOf(schema)
}

/** A decision as a model writes it that is held to a schema: each member in its order, null where there is nothing. */
function held(schema: object | undefined, members: object): string {
  const names = Object.keys(recordOf(recordOf(schema).properties))
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, recordOf(members)[name] ?? null])))
}

const shape = '"action": "tool"'
const textOf = ({ requests }: ScriptedModel, at = 0) => requests[at]?.messages.map(({ content }) => content).join("\n") ?? ""

describe("T52 the schema of a decision", () => {
  test("goes to a model that keeps to one, with the schemas of the tools, and what comes of it runs", async () => {
    const model = keeping([
      () => held(schemaOf(model), { action: "tool", tool: "weather", args: { city: "Ulm" } }),
      () => held(schemaOf(model, 1), { action: "finish", message: "Rain." }),
    ])
    const { session } = testAgent(model, { dialect: "layered", loop: { strict: true } }, { tools: [weather] })
    const result = await session.send("?").result
    expect(result).toMatchObject({ ok: true, text: "Rain.", trace: { runs: [{ tool: "weather", result: "Ulm: rain" }] } })
    expect(result.trace.warnings).toEqual([])
    const nothing = { type: "null" }
    const words = { anyOf: [{ type: "string" }, nothing] }
    const properties = {
      action: { type: "string", enum: ["tool", "finish"] },
      message: words,
      tool: { anyOf: [{ type: "string", enum: ["weather"] }, nothing] },
      args: { anyOf: [weather.inputSchema, nothing] },
    }
    const required = ["action", "message", "tool", "args"]
    expect(schemaOf(model)).toEqual({ type: "object", properties, required, additionalProperties: false })
    expect(Object.keys(recordOf(schemaOf(model)?.properties))).toEqual(required)
  })

  test("lets the answer begin with the same character as the form that the prompt shows", async () => {
    const first = (text: string) => {
      const reader = createDecisionReader()
      return [...text].findIndex((character) => reader.push(character).some(({ type }) => type === "message-delta"))
    }
    const model = keeping([finish("Hi")])
    const { session } = testAgent(model, {}, { tools: [weather] })
    await session.send("?").result
    expect(first(held(schemaOf(model), { action: "finish", message: "Hi" }))).toBe(first(finish("Hi")))
  })

  test("has no calls without tools, a note where a value is asked for, and any object for a tool with references", async () => {
    const model = keeping([finish("a"), finish(""), "{}", finish("c")])
    await testAgent(model).session.send("?").result
    const { session } = testAgent(model, {}, { tools: [weather] })
    await session.send("?", { output: z.object({}) }).result
    const tree = { type: "object", properties: { next: { $ref: "#" } } }
    const grow = defineTool({ name: "grow", description: "", jsonSchema: tree, execute: () => "" })
    await testAgent(model, {}, { tools: [grow, weather] }).session.send("?").result
    const schemas = [0, 1, 3].map((at) => recordOf(schemaOf(model, at)?.properties))
    expect(schemas.map((properties) => Object.keys(properties))).toEqual([
      ["action", "message"],
      ["action", "message", "note", "tool", "args"],
      ["action", "message", "tool", "args"],
    ])
    expect(schemas[0]?.action).toEqual({ type: "string", enum: ["finish"] })
    expect(schemas[2]?.args).toEqual({ anyOf: [{ type: "object" }, weather.inputSchema, { type: "null" }] })
  })

  test.each(
    ["layered", "root", "root-tools", "soul", "stack", "stack-cached", "tavern"].flatMap((dialect) =>
      (["en", "zh-CN"] as const).map((locale) => [dialect, locale] as const),
    ),
  )("shortens the prompt of %s in %s by the form", async (dialect, locale) => {
    const [plain, short] = [keeping([finish("a")], {}), keeping([finish("a")])]
    const tokens = await Promise.all(
      [plain, short].map(async (model) => {
        const { session } = testAgent(model, { dialect, locale }, { tools: [weather] })
        return (await session.send("?").result).trace.steps[0]?.assembly.tokens ?? 0
      }),
    )
    expect([textOf(plain).includes(shape), textOf(short).includes(shape)]).toEqual([true, false])
    for (const word of ["JSON", "action", "tool", "args", "finish", "message"]) expect(textOf(short)).toContain(word)
    expect((tokens[0] ?? 0) - (tokens[1] ?? 0)).toBeGreaterThanOrEqual(20)
  })

  test.each(["en", "zh-CN"] as const)("changes nothing of fay's text in %s (T11)", async (locale) => {
    const models = [keeping([finish("a")], {}), keeping([finish("a")])]
    for (const model of models) await testAgent(model, { locale }, { tools: [weather] }).session.send("?").result
    expect(models.map((model) => schemaOf(model) !== undefined)).toEqual([false, true])
    expect(new Set(models.map((model) => textOf(model))).size).toBe(1)
  })
})

describe("T52 a schema that a provider refuses", () => {
  const refusal = (refused?: "context-length") =>
    new PromptStrataError("model", "No such schema.", { evidence: { kind: "bad-request", isRetryable: false, refused } })

  test("is left out of that request and of later ones, the prompt shows the form again, and the trace tells it once", async () => {
    const model = keeping([[refusal()], callTool("weather", { city: "Ulm" }), finish("Rain."), finish("Again.")])
    const { session } = testAgent(model, { dialect: "layered" }, { tools: [weather] })
    const [first, second] = [await session.send("?").result, await session.send("?").result]
    expect([first, second]).toMatchObject([
      { ok: true, text: "Rain." },
      { ok: true, text: "Again." },
    ])
    expect([0, 1, 2, 3].map((at) => schemaOf(model, at) !== undefined)).toEqual([true, false, false, false])
    expect([0, 1, 2, 3].map((at) => textOf(model, at).includes(shape))).toEqual([false, true, true, true])
    expect(first.trace.warnings).toEqual([
      {
        kind: "model",
        message:
          "A request to scripted with the JSON Schema of the planner's decision was refused, so it is asked without one: No such schema.",
      },
    ])
    expect(second.trace.warnings).toEqual([])
  })

  test("is not to blame where the request is refused without it, too: the turn ends with the reason", async () => {
    const model = keeping([[refusal()], [refusal()], finish("Again.")])
    const { session } = testAgent(model)
    expect(await session.send("?").result).toMatchObject({ ok: false, error: { code: "model" } })
    await session.send("?").result
    expect([0, 1, 2].map((at) => schemaOf(model, at) !== undefined)).toEqual([true, false, true])
  })

  test("is not meant by a request that is too long", async () => {
    const model = keeping([[refusal("context-length")]])
    expect(await testAgent(model).session.send("?").result).toMatchObject({ ok: false, error: { message: "No such schema." } })
  })
})

test.each([
  ["auto", {}, "text"],
  ["auto", { jsonMode: true }, "json"],
  ["json", {}, "json"],
  ["text", { jsonSchema: true, jsonMode: true }, "text"],
] as const)("T52 response_format %j asks a model of %j for %j", async (responseFormat, capabilities, format) => {
  const model = keeping([finish("a")], capabilities)
  await testAgent(model, { loop: { responseFormat } }).session.send("?").result
  expect(model.requests[0]?.responseFormat).toBe(format)
})
