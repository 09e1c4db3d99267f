import { scriptedModel } from "promptstrata/testing"
import { expect, test } from "vitest"
import { createCharacter } from "../src/character.mjs"
import { rollDice } from "../tools/dice.mjs"

test("the prompt is the one in prompt.md", async () => {
  const character = await createCharacter({ model: scriptedModel([]) })
  const { messages } = await character.session("test").preview("帮我掷两个骰子！")
  const prompt = messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
  await expect(prompt).toMatchFileSnapshot("prompt.md")
})

test("the character rolls dice when it is asked to", async () => {
  const model = scriptedModel([
    JSON.stringify({ action: "tool", tool: "roll_dice", args: { count: 2 } }),
    JSON.stringify({ action: "finish", message: "掷好啦！" }),
  ])
  const character = await createCharacter({ model })
  const result = await character.session("test").send("帮我掷两个骰子！").result
  expect(result).toMatchObject({ ok: true, text: "掷好啦！" })
  expect(result.trace.runs).toMatchObject([{ tool: "roll_dice", status: "ok" }])
})

test("a die shows every side and no other number", () => {
  expect(rollDice({ count: 1, sides: 6 }, () => 0)).toEqual([1])
  expect(rollDice({ count: 1, sides: 6 }, () => 0.999)).toEqual([6])
})
