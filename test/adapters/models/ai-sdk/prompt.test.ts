import { generateText, streamText, ToolLoopAgent } from "ai"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { toAiSdkPrompt } from "../../../../src/adapters/models/ai-sdk/index.ts"
import { splitText } from "../../../../src/adapters/models/ai-sdk/prompt.ts"
import type { Assembly, Message } from "../../../../src/core/span.ts"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { said, turnState } from "../../../support/turns.ts"
import { assemblyOf } from "./assemblies.ts"
import { finish, modelV3, modelV4, textBlock } from "./mock-models.ts"

/** Returns the prompt that the model gets when the real `streamText` gets the converted prompt. */
async function reaching(assembly: Assembly) {
  const model = modelV4(...textBlock("ok"), finish)
  const result = streamText({ model, ...toAiSdkPrompt(assembly) })
  expect(await result.text).toBe("ok")
  return model.doStreamCalls[0]?.prompt ?? []
}

/** Turns a provider's prompt back into our messages, with text only. */
function textsOf(prompt: readonly { role: string; content: unknown }[]): { role: string; content: string }[] {
  return prompt.map(({ role, content }) => ({
    role,
    content: typeof content === "string" ? content : (content as { text?: string }[]).map(({ text = "" }) => text).join(""),
  }))
}

function filledStack(): PromptStack {
  return new PromptStack([
    { key: "persona", content: "You are Fay.", scope: "global", trust: "author" },
    { key: "mood", content: "calm", scope: "session" },
    { key: "manners", content: "polite", role: "developer" },
  ])
}

const turn = turnState("What now?", { history: [said("user", "hi"), said("assistant", "hello")] })

describe("a converted prompt in the real streamText", () => {
  test.each([
    ["layered", "planner"],
    ["layered", "final"],
    ["stack", "planner"],
    ["stack", "chat"],
    ["stack-cached", "planner"],
    ["fay", "planner"],
    ["fay", "final"],
  ])("of dialect %s, prompt %s: the model gets the assembly's messages, in order", async (dialect, prompt) => {
    const assembly = assemble(filledStack(), { dialect, prompt, turn, roles: { developer: true } })
    const expected = assembly.messages.map(({ role, content }) => ({ role: role === "developer" ? "system" : role, content }))
    expect(textsOf(await reaching(assembly))).toEqual(expected)
  })

  test("leading system messages are instructions, later ones stay in their place and are allowed", async () => {
    const assembly = assemblyOf(
      ["system", ["global", "one"]],
      ["developer", ["global", "two"]],
      ["user", ["conversation", "hi"]],
      ["system", ["turn", "three"]],
      ["user", ["turn", "now?"]],
    )
    expect(toAiSdkPrompt(assembly)).toEqual({
      instructions: [
        { role: "system", content: "one" },
        { role: "system", content: "two" },
      ],
      messages: [
        { role: "user", content: [{ type: "text", text: "hi" }] },
        { role: "system", content: "three" },
        { role: "user", content: [{ type: "text", text: "now?" }] },
      ],
      allowSystemInMessages: true,
    })
    expect((await reaching(assembly)).map(({ role }) => role)).toEqual(["system", "system", "user", "system", "user"])
  })

  test("a prompt of system messages alone is taken too", async () => {
    const assembly = assemblyOf(["system", ["global", "one"]], ["system", ["turn", "two"]])
    expect(await reaching(assembly)).toMatchObject([
      { role: "system", content: "one" },
      { role: "system", content: "two" },
    ])
  })

  test("a prompt without system messages has no instructions", () => {
    expect(Object.keys(toAiSdkPrompt(assemblyOf(["user", ["turn", "hi"]])))).toEqual(["messages"])
  })

  test("tool calls and their results arrive as such", async () => {
    const messages: Message[] = [
      { role: "user", content: "time?" },
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "now", args: '{"zone":"UTC"}' }] },
      { role: "tool", content: "12:00", toolCallId: "a" },
    ]
    expect(await reaching({ ...assemblyOf(), messages })).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "now", input: { zone: "UTC" } }] },
      { role: "tool", content: [{ type: "tool-result", toolCallId: "a", output: { type: "text", value: "12:00" } }] },
    ])
  })

  test("a model of specification v3 gets the same", async () => {
    const model = modelV3(...textBlock("ok"), finish)
    await streamText({ model, ...toAiSdkPrompt(assemble(filledStack(), { turn })) }).consumeStream()
    expect(textsOf(model.doStreamCalls[0]?.prompt ?? []).at(-1)?.content).toContain("What now?")
  })
})

describe("a converted prompt in the real ToolLoopAgent", () => {
  test("its instructions are the agent's, its messages the call's", async () => {
    const model = modelV4(...textBlock("ok"), finish)
    const assembly = assemble(filledStack(), { dialect: "stack", prompt: "chat", turn })
    const { messages, ...settings } = toAiSdkPrompt(assembly)
    const result = await new ToolLoopAgent({ model, ...settings }).stream({ messages })
    expect(await result.text).toBe("ok")
    expect(textsOf(model.doStreamCalls[0]?.prompt ?? [])).toEqual(
      assembly.messages.map(({ role, content }) => ({ role: role === "developer" ? "system" : role, content })),
    )
  })
})

test("the real generateText takes it as well", async () => {
  const model = modelV4()
  model.doGenerate = async (options) => {
    model.doGenerateCalls.push(options)
    const stopped = { finishReason: finish.finishReason, usage: finish.usage, warnings: [] }
    return { content: [{ type: "text", text: "ok" }], ...stopped }
  }
  expect((await generateText({ model, ...toAiSdkPrompt(assemble(filledStack(), { turn })) })).text).toBe("ok")
})

describe("parting a text", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "😀", "好", "\u00a0") })

  test("joined, the pieces are the text; none is blank beside others, none ends in half a character", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(12)), (whole, offsets) => {
        const cuts = offsets.filter((offset) => offset <= whole.length).sort((a, b) => a - b)
        const pieces = splitText(whole, cuts)
        expect(pieces.map((piece) => piece.text).join("")).toBe(whole)
        if (pieces.length > 1) expect(pieces.every((piece) => piece.text.trim() !== "")).toBe(true)
        expect(pieces.every((piece) => piece.text.isWellFormed())).toBe(true)
        expect(pieces.filter((piece) => piece.endsAtCut).length).toBeLessThanOrEqual(cuts.length)
      }),
    )
  })

  test.each<[string, string, number[], unknown[]]>([
    [
      "inside",
      "abcd",
      [2],
      [
        ["ab", true],
        ["cd", false],
      ],
    ],
    ["at the end", "abcd", [4], [["abcd", true]]],
    [
      "twice at one place",
      "abcd",
      [2, 2],
      [
        ["ab", true],
        ["cd", false],
      ],
    ],
    ["before blank text", "ab \n", [2], [["ab \n", true]]],
    ["after nothing but blanks", " ab", [1], [[" ab", false]]],
    [
      "inside a character",
      "a😀b",
      [2],
      [
        ["a", true],
        ["😀b", false],
      ],
    ],
    ["nowhere", "", [], [["", false]]],
  ])("%s", (_, whole, cuts, pieces) => {
    expect(splitText(whole, cuts).map(({ text: piece, endsAtCut }) => [piece, endsAtCut])).toEqual(pieces)
  })
})
