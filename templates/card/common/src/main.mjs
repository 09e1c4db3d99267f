import process from "node:process"
import { createInterface } from "node:readline"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"
import { createCharacter } from "./character.mjs"

// `npx promptstrata memory list` reads the same folder, and `npx promptstrata chat` has the same user.
const store = await openStore("./data")
const character = await createCharacter({ store })
const session = character.session("terminal")
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " })
let open = true
terminal.once("close", () => {
  open = false
})

await greet()
terminal.prompt()
for await (const line of terminal) {
  if (line.trim() !== "") await answer(line)
  // Piped input may have ended while the answer came.
  if (open) terminal.prompt()
}
process.stdout.write("\n")
await character.close()
await store.close()

/** The card's first message, once. It stays in the conversation as the character's own words. */
async function greet() {
  const { agent, greeting } = await loadProfile("__ID__")
  if (!greeting || (await session.history({ limit: 1 })).length > 0) return
  await session.hear(greeting, { from: { id: agent.id } })
  process.stdout.write(`${greeting}\n`)
}

async function answer(line) {
  const turn = session.send(line, { from: { id: "user" } })
  for await (const delta of turn.textStream) process.stdout.write(delta)
  const result = await turn.result
  process.stdout.write(result.ok ? "\n" : `${result.error.message}\n`)
}
