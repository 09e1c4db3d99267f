import process from "node:process"
import { createInterface } from "node:readline/promises"
import { openStore } from "promptstrata/stores"
import { createCharacter } from "./character.mjs"

// `npx promptstrata chat` reads the same folder and goes on with the same user.
const store = await openStore("./data")
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " })
const character = await createCharacter({ store, confirm })
const session = character.session("terminal")
let open = true
terminal.once("close", () => {
  open = false
})

terminal.prompt()
for await (const line of terminal) {
  if (line.trim() !== "") await answer(line)
  // Piped input may have ended while the answer came.
  if (open) terminal.prompt()
}
process.stdout.write("\n")
await character.close()
await store.close()

async function answer(line) {
  const turn = session.send(line, { from: { id: "user" } })
  for await (const delta of turn.textStream) process.stdout.write(delta)
  const result = await turn.result
  process.stdout.write(result.ok ? "\n" : `${result.error.message}\n`)
}

/** Asks a person about each call of a tool that needs a consent. */
async function confirm({ tool, summary, detail = "" }, signal) {
  if (!open) return false
  const answer = await terminal.question(`\n${[`${tool}: ${summary}`, detail].filter(Boolean).join("\n")}\n[y/N] `, { signal })
  return ["y", "yes", "是", "好"].includes(answer.trim().toLowerCase())
}
