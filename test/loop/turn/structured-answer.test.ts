import fc from "fast-check"
import { afterEach, describe, expect, expectTypeOf, test } from "vitest"
import { z } from "zod"
import type { ModelPart } from "../../../src/core/model/language-model.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { PartialJson } from "../../../src/reply/json/partial-json.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"
import { runs, seedOf } from "../../support/size.ts"

afterEach(expectScriptsDone)

const dice = defineTool({ name: "dice", description: "a die", execute: () => "4" })
const weather = z.object({ city: z.string(), degrees: z.number(), tags: z.array(z.string()).default([]) })
const text = '{"city":"北京","degrees":3,"tags":["冷","晴"]}'
const value = { city: "北京", degrees: 3, tags: ["冷", "晴"] }
const roll: ModelPart = { type: "tool-call", call: { id: "a", name: "dice", args: "{}" } }

type Mode = "json" | "native" | "chat"

function agentWith(
  steps: readonly ScriptedStep[],
  mode: Mode = "chat",
  given: { locale?: "en" | "zh-CN"; jsonSchema?: boolean; tools?: boolean } = {},
) {
  const { locale = "en", jsonSchema = false, tools = true } = given
  const model = scriptedModel(steps, { capabilities: { tools: true, jsonSchema } })
  const profile = { dialect: "layered" as const, locale, loop: { mode }, output: { bubbles: true } }
  return { model, ...testAgent(model, profile, { tools: tools ? [dice] : [] }) }
}

function shown(model: ReturnType<typeof scriptedModel>, at: number): string {
  return (model.requests[at]?.messages ?? []).map(({ content }) => content).join("\n")
}

describe("a value in place of words", () => {
  test.each<[Mode, readonly ScriptedStep[]]>([
    ["chat", [text]],
    ["native", [["let me see", roll], text]],
    ["json", [callTool("dice"), finish("It is cold."), text]],
  ])("in mode %s: the typed value, its growth, and its text in history", async (mode, steps) => {
    const { session } = agentWith(steps, mode)
    const turn = session.send("Weather?", { output: weather })
    const partials = await collect(turn.partials)
    const result = await turn.result
    if (!result.ok) throw result.error
    expectTypeOf(result.output).toEqualTypeOf<{ city: string; degrees: number; tags: string[] }>()
    expect(result.output).toEqual(value)
    expect(result.text).toBe(text)
    expect(partials.at(-1)).toEqual(value)
    expect(partials).toContainEqual({ city: "北京" })
    expect(await collect(turn.textStream)).toEqual([text])
    expect((await session.history()).at(-1)?.text).toBe(text)
  })

  test("defaults and transformations of the schema count; history keeps what the model wrote", async () => {
    const { session } = agentWith(['```json\n{"when":"2026-01-02"}\n```'])
    const schema = z.object({ when: z.string().transform((when) => new Date(when)) })
    const result = await session.send("When?", { output: schema }).result
    expect(result).toMatchObject({ ok: true, output: { when: new Date("2026-01-02") }, text: '{"when":"2026-01-02"}' })
  })

  test("JSON that is nearly right is read all the same: fences, words around it, a comma too many, thoughts", async () => {
    const { session } = agentWith([`<think>{"city":1}</think>Here you are:\n{'city': 'Rome', "degrees": 20,}\nBye!`])
    expect(await session.send("?", { output: weather }).result).toMatchObject({ ok: true, output: { city: "Rome", degrees: 20 } })
  })

  test("a profile's bubbles do not cut it", async () => {
    const { session } = agentWith(['{"city":"a@br b","degrees":1}'])
    const turn = session.send("?", { output: weather })
    expect(await collect(turn.bubbles)).toEqual(['{"city":"a@br b","degrees":1}'])
  })

  test("with JSON decisions, the planner is asked only if there are tools, and its words are advice", async () => {
    const alone = agentWith([text], "json", { tools: false })
    expect(await alone.session.send("?", { output: weather }).result).toMatchObject({ ok: true, output: value })
    const planned = agentWith([finish("Say three degrees."), text], "json")
    await planned.session.send("?", { output: weather }).result
    expect(shown(planned.model, 0)).toContain("finish without a message")
    expect(shown(planned.model, 1)).toContain("Say three degrees.")
  })

  test("tags and decisions in it are data", async () => {
    const answer = { action: "finish", message: "<think>no</think>", text: "</think> @br" }
    const { session } = agentWith([`<think>hm</think>${JSON.stringify(answer)}`])
    const schema = z.object({ action: z.string(), message: z.string(), text: z.string() })
    expect(await session.send("?", { output: schema }).result).toMatchObject({ ok: true, output: answer })
  })

  test("a scalar is a value, too", async () => {
    const { session } = agentWith(["42"])
    expect(await session.send("?", { output: z.number() }).result).toMatchObject({ ok: true, output: 42 })
  })

  test("respond gives one as well", async () => {
    const { agent } = agentWith([text])
    const result = await agent.respond([{ role: "user", content: "?" }], { output: weather }).result
    expect(result).toMatchObject({ ok: true, output: value })
  })

  test("the session's next turn speaks as before", async () => {
    const { session, model } = agentWith([text, "Hello."])
    await session.send("?", { output: weather }).result
    expect(await session.send("Hi").result).toMatchObject({ ok: true, text: "Hello." })
    expect(shown(model, 1)).not.toContain("JSON Schema")
  })
})

describe("what the model is told", () => {
  test.each([
    ["en", "Your whole answer is one JSON value"],
    ["zh-CN", "整个回答只是一个 JSON 值"],
  ] as const)("the form and the schema, in %s", async (locale, words) => {
    const { session, model } = agentWith([text], "chat", { locale })
    await session.send("?", { output: weather }).result
    expect(shown(model, 0)).toContain(words)
    expect(shown(model, 0)).toContain('"degrees":{"type":"number"}')
    expect(model.requests[0]?.responseFormat).toMatchObject({ schema: { type: "object", required: ["city", "degrees"] } })
  })

  test("a model that keeps to a schema gets it as its response format alone", async () => {
    const { session, model } = agentWith([text], "chat", { jsonSchema: true })
    await session.send("?", { output: weather }).result
    expect(shown(model, 0)).not.toContain("degrees")
    expect(model.requests[0]?.responseFormat).toMatchObject({ schema: { type: "object" } })
  })
})

describe("an answer that does not fit", () => {
  test.each(["chat", "native", "json"] as const)("in mode %s is asked for once more, with the fault", async (mode) => {
    const bad = '{"city":"北京","degrees":"cold"}'
    const { session, model } = agentWith(mode === "json" ? [finish(""), bad, text] : [bad, text], mode)
    const turn = session.send("?", { output: weather })
    expect(await turn.result).toMatchObject({ ok: true, output: value })
    const last = shown(model, model.requests.length - 1)
    expect(last).toContain('Your last answer did not fit: "degrees: Invalid input')
    expect(last).toContain(JSON.stringify(bad))
    expect(await collect(turn.textStream)).toEqual([text])
  })

  test("the model is shown the first 4,000 characters of it, and a person its faults", async () => {
    const long = `{"city":"${"x".repeat(5_000)}"}`
    const { session, model } = agentWith([long, '{"city":"Rome","degrees":"cold"}'])
    const result = await session.send("?", { output: weather }).result
    expect(
      shown(model, 1)
        .match(/x+x/g)
        ?.map(({ length }) => length),
    ).toContain(4_000 - '{"city":"'.length)
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining("found degrees: Invalid input") } })
  })

  test("several faults are told together", async () => {
    const { session, model } = agentWith(['{"degrees":"cold"}', text])
    expect(await session.send("?", { output: weather }).result).toMatchObject({ ok: true, output: value })
    expect(shown(model, 1)).toMatch(/"city: Invalid input[^;]*; "?degrees: Invalid input/)
  })

  test("a schema that no model can meet ends in a typed error with what was gathered", async () => {
    const { session } = agentWith([[roll], "{}", "four"], "native")
    const result = await session.send("?", { output: z.object({ a: z.never() }) }).result
    expect(result).toMatchObject({
      ok: false,
      error: { code: "output-schema", evidence: { issues: [], text: "four" } },
      gathered: { runs: [{ tool: "dice" }], text: "" },
    })
    expect((await session.history()).map(({ role }) => role)).toEqual(["user"])
  })

  test("an answer that ends too early is none", async () => {
    const cut: ScriptedStep = ['{"city":"Ro', { type: "finish", reason: "length" }]
    const { session } = agentWith([cut, cut])
    const result = await session.send("?", { output: weather }).result
    expect(result).toMatchObject({ ok: false, error: { code: "output-schema" } })
  })

  test("a stream that breaks is begun again, and what was told of it as well", async () => {
    const first = scriptedModel([['{"city":"Par', new Error("down")]], { id: "first" })
    const { session } = agentWith([text])
    const turn = session.send("?", { output: weather, prepareStep: () => ({ model: first }) })
    expect(await turn.result).toMatchObject({ ok: true, output: value })
    expect(await collect(turn.partials)).toContainEqual({ city: "Par" })
  })
})

test.each([
  [{ "~standard": { version: 1, vendor: "plain", validate: () => ({ value: 1 }) } }, "(plain) has no JSON Schema"],
  [{}, "expected `output` to be a Standard Schema"],
  [z.object({ when: z.date() }), "cannot be converted to JSON Schema"],
])("a schema that cannot be used ends the turn with a clear error: %#", async (schema, message) => {
  const { session } = agentWith([])
  const result = await session.send("?", { output: schema as never }).result
  expect(result).toMatchObject({ ok: false, error: { code: "usage" } })
  expect(!result.ok && result.error.message).toContain(message)
})

/** True if `part` can grow into `whole` by adding at its end. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === "string") return typeof whole === "string" && whole.startsWith(part)
  if (typeof part !== "object" || part === null) return Object.is(part, whole)
  if (typeof whole !== "object" || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false
  const [entries, all] = [Object.entries(part), Object.entries(whole)]
  return entries.every(([name, inner], at) => {
    const [wholeName, wholeInner] = all[at] ?? []
    const isLast = at === entries.length - 1
    return name === wholeName && (isLast ? isBeginning(inner, wholeInner) : JSON.stringify(inner) === JSON.stringify(wholeInner))
  })
}

test("at every cut of the stream the value so far is a beginning of the whole, and at the end it is the whole", () => {
  const json = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
  const check = (given: unknown, cuts: readonly number[], indent: number) => {
    const whole: unknown = JSON.parse(JSON.stringify(given))
    const written = JSON.stringify(given, null, indent)
    const places = [...new Set(cuts.map((cut) => cut % written.length))].sort((a, b) => a - b)
    const reader = new PartialJson()
    let before: unknown
    for (const [at, place] of [...places, written.length].entries()) {
      reader.push(written.slice(places[at - 1] ?? 0, place))
      const now = reader.value()
      if (before !== undefined) expect(isBeginning(before, now)).toBe(true)
      if (now !== undefined) expect(isBeginning(now, whole)).toBe(true)
      before = now === undefined ? undefined : structuredClone(now)
    }
    expect(JSON.stringify(reader.value())).toBe(JSON.stringify(whole))
  }
  fc.assert(fc.property(json, fc.array(fc.nat()), fc.nat(2), check), { numRuns: runs(200), seed: seedOf(41) })
})

test("a piece that only ends what is there gives no more of the value", () => {
  const reader = new PartialJson()
  expect(['{"a"', ':["x', '"', "]", "}"].map((piece) => reader.push(piece))).toEqual([true, true, true, false, false])
  expect(reader.value()).toEqual({ a: ["x"] })
  const number = new PartialJson()
  expect(["[", "1", "2", ","].map((piece) => number.push(piece))).toEqual([true, false, false, true])
})

test("a value is told whenever it has grown by a part of its length, never twice the same, so that telling it costs few copies", async () => {
  const city = "北京 ".repeat(7_000)
  const written = `{"city":"${city}","degrees":3   ,   "tags":[]   }`
  const model = scriptedModel([written], { chunkSize: 10 })
  const turn = testAgent(model, { dialect: "layered", loop: { mode: "chat" } }).session.send("?", { output: weather })
  const told = (await collect(turn.partials)).map((partial) => JSON.stringify(partial))
  expect(told.at(-1)).toBe(JSON.stringify({ city, degrees: 3, tags: [] }))
  for (const [at, partial] of told.entries()) expect(partial === told[at - 1]).toBe(false)
  // Of 2,100 pieces, the first 256 are told, then one for each 256th part that the value grows.
  expect(told.length).toBeGreaterThan(500)
  expect(told.length).toBeLessThan(1_100)
})

test("however the stream is cut, the turn ends with the same value", async () => {
  const check = async (chunkSize: number, degrees: number, city: string) => {
    const model = scriptedModel([JSON.stringify({ city, degrees })], { chunkSize })
    const turn = testAgent(model, { dialect: "layered", loop: { mode: "chat" } }).session.send("?", { output: weather })
    expect(await turn.result).toMatchObject({ ok: true, output: { city, degrees } })
    expect((await collect(turn.partials)).at(-1)).toEqual({ city, degrees })
  }
  await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer(), fc.string(), check), {
    numRuns: runs(20),
    seed: seedOf(42),
  })
})
