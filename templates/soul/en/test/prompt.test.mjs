import { manualClock, scriptedModel } from "promptstrata/testing"
import { expect, test } from "vitest"
import { createCharacter } from "../src/character.mjs"

test("the prompt is the one in prompt.md", async () => {
  const character = await createCharacter({ model: scriptedModel([]), ports: { clock: manualClock() } })
  const { messages } = await character.session("test").preview("Who are you?")
  const prompt = messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
  await expect(prompt).toMatchFileSnapshot("prompt.md")
})

test("the companion asks before it changes SOUL.md", async () => {
  const asked = []
  const change = { path: "SOUL.md", content: "Ann likes rain." }
  const model = scriptedModel([
    JSON.stringify({ action: "tool", tool: "write", args: change }),
    JSON.stringify({ action: "finish", message: "I am __NAME__." }),
  ])
  const character = await createCharacter({ model, confirm: async ({ tool }) => asked.push(tool) === 0 })
  const result = await character.session("test").send("Who are you?").result
  expect(result).toMatchObject({ ok: true, text: "I am __NAME__." })
  expect(asked).toEqual(["write"])
  const { messages } = await character.session("test").preview("Who are you?")
  expect(messages[0].content).toContain("You are calm, curious and honest")
})
