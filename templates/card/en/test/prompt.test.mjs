import { countingIds, manualClock, scriptedModel } from "promptstrata/testing"
import { expect, test } from "vitest"
import { createCharacter } from "../src/character.mjs"

test("the prompt is the one in prompt.md", async () => {
  const character = await createCharacter({ model: scriptedModel([]), ports: { clock: manualClock(), ids: countingIds() } })
  const { messages } = await character.session("test").preview("Who are you?", { prompt: "chat" })
  const prompt = messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
  await expect(prompt).toMatchFileSnapshot("prompt.md")
})
