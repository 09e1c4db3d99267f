import { scriptedModel } from "promptstrata/testing"
import { expect, test } from "vitest"
import { createCharacter } from "../src/character.mjs"
import { rollDice } from "../tools/dice.mjs"

test("the prompt is the one in prompt.md", async () => {
  const character = await createCharacter({ model: scriptedModel([]) })
  const { messages } = await character.session("test").preview("Roll two dice for me!")
  const prompt = messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
  await expect(prompt).toMatchFileSnapshot("prompt.md")
})

test("the character rolls dice when it is asked to", async () => {
  const model = scriptedModel([
    JSON.stringify({ action: "tool", tool: "roll_dice", args: { count: 2 } }),
    JSON.stringify({ action: "finish", message: "There they go!" }),
  ])
  const character = await createCharacter({ model })
  const result = await character.session("test").send("Roll two dice for me!").result
  expect(result).toMatchObject({ ok: true, text: "There they go!" })
  expect(result.trace.runs).toMatchObject([{ tool: "roll_dice", status: "ok" }])
})

test("a die shows every side and no other number", () => {
  expect(rollDice({ count: 1, sides: 6 }, () => 0)).toEqual([1])
  expect(rollDice({ count: 1, sides: 6 }, () => 0.999)).toEqual([6])
})
