import { afterEach, describe, expect, test } from "vitest"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

type Mode = "chat" | "json" | "native"

const tale = "Yes. No. The dragon opened its eyes and"
const look = defineTool({ name: "look", description: "looks", execute: () => "a cave" })
const answer = (mode: Mode, text: string): ScriptedStep => (mode === "json" ? finish(text) : text)
const call = (mode: Mode): ScriptedStep =>
  mode === "json" ? callTool("look") : [{ type: "tool-call", call: { id: "a", name: "look", args: "{}" } }]

/** The answer of a model that goes on with the tale, in `mode`. */
async function goOn(mode: Mode, steps: readonly ScriptedStep[], answerLimit: object = { behind: tale }) {
  const model = scriptedModel(steps, { capabilities: { tools: true } })
  const tools = mode === "chat" ? [] : [look]
  const { session } = testAgent(model, { dialect: "layered", locale: "en", loop: { mode } }, { tools })
  return session.send("Go on.", { answerLimit }).result
}

describe.each(["chat", "json", "native"] as const)("N45 an answer that goes on with a text, in mode %s", (mode) => {
  test.each(["No.", "The dragon"])("%s, which stands in that text, is an answer", async (short) => {
    expect(await goOn(mode, [answer(mode, short)])).toMatchObject({ ok: true, text: short })
  })

  test("the beginning of a stop is an answer", async () => {
    expect(await goOn(mode, [answer(mode, "Use")], { stop: ["User:"] })).toMatchObject({ ok: true, text: "Use" })
  })

  test("one that only repeats its end is asked for again", async () => {
    expect(await goOn(mode, [answer(mode, tale), " it yawned."])).toMatchObject({ ok: true, text: " it yawned." })
  })
})

describe.each(["json", "native"] as const)("N45 behind a call of a tool, in mode %s", (mode) => {
  test("words of the text that come again are left out, too", async () => {
    const steps = [call(mode), answer(mode, "opened its eyes and saw a cave.")]
    expect(await goOn(mode, steps)).toMatchObject({ ok: true, text: " saw a cave." })
  })

  test("words that stand in the text are no part of the words that follow the call", async () => {
    const words = { type: "text-delta", delta: "The dragon" } as const
    const both = JSON.stringify({ action: "finish", message: words.delta, tool: "look", args: {} })
    const first = mode === "json" ? both : [words, { type: "tool-call" as const, call: { id: "a", name: "look", args: "{}" } }]
    const text = "The dragon\n\nIt yawned."
    expect(await goOn(mode, [first, answer(mode, "It yawned.")])).toMatchObject({ ok: true, text })
  })
})
