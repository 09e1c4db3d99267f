import { manualClock, scriptedModel } from "promptstrata/testing"
import { expect, test } from "vitest"
import { createCharacter } from "../src/character.mjs"

test("the prompt is the one in prompt.md", async () => {
  const character = await createCharacter({ model: scriptedModel([]), ports: { clock: manualClock() } })
  const { messages } = await character.session("test").preview("你是谁？")
  const prompt = messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
  await expect(prompt).toMatchFileSnapshot("prompt.md")
})

test("the companion asks before it changes SOUL.md", async () => {
  const asked = []
  const change = { path: "SOUL.md", content: "小安喜欢下雨天。" }
  const model = scriptedModel([
    JSON.stringify({ action: "tool", tool: "write", args: change }),
    JSON.stringify({ action: "finish", message: "我是__NAME__。" }),
  ])
  const character = await createCharacter({ model, confirm: async ({ tool }) => asked.push(tool) === 0 })
  const result = await character.session("test").send("你是谁？").result
  expect(result).toMatchObject({ ok: true, text: "我是__NAME__。" })
  expect(asked).toEqual(["write"])
  const { messages } = await character.session("test").preview("你是谁？")
  expect(messages[0].content).toContain("你沉静、好奇、坦诚")
})
