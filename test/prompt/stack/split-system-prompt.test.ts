import { describe, expect, test } from "vitest"
import { splitSystemPrompt } from "../../../src/prompt/stack/compose-messages.ts"

describe("splitSystemPrompt", () => {
  test("S7 parts the system prompt from the history, whose messages are the very same objects", () => {
    const messages = [
      { role: "system", content: "你是助手" },
      { role: "user", content: "你好" },
      { role: "assistant", content: "你好!", extra: 1 },
    ]
    const before = structuredClone(messages)
    const { basePrompt, history } = splitSystemPrompt(messages)
    expect(basePrompt).toBe("你是助手")
    expect(history).toHaveLength(2)
    expect(history[0]).toBe(messages[1])
    expect(history[1]).toBe(messages[2])
    expect(messages).toEqual(before)
  })

  test("S7 joins all system and developer messages by a blank line, wherever they stand, blank ones left out", () => {
    const messages = [
      { role: "system", content: "one\n" },
      { role: "user", content: "hi" },
      { role: "developer", content: "two" },
      { role: "system", content: " \n" },
      { role: "system", content: "three" },
    ]
    expect(splitSystemPrompt(messages)).toEqual({ basePrompt: "one\n\n\ntwo\n\nthree", history: [messages[1]] })
  })

  test("S7 reads structured content: its text parts, joined by a blank line", () => {
    const parts = [{ type: "text", text: "one" }, { type: "image", url: "x" }, "two", null, { text: 3 }, { text: "four" }]
    expect(splitSystemPrompt([{ role: "system", content: parts }]).basePrompt).toBe("one\n\ntwo\n\nfour")
  })

  test("S7 messages without content, and no messages at all, are no system prompt", () => {
    const call = { role: "assistant", content: null, toolCalls: [] }
    expect(splitSystemPrompt([{ role: "system" }, { role: "system", content: null }, call])).toEqual({
      basePrompt: "",
      history: [call],
    })
    expect(splitSystemPrompt([])).toEqual({ basePrompt: "", history: [] })
  })
})
