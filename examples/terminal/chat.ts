import { createInterface } from "node:readline"
import { createAgent, type Turn } from "promptstrata"
import { errorWords } from "promptstrata/bots"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const store = await openStore("./data")
const profile = await loadProfile(PROFILE)
const agent = createAgent({ profile, model: openaiModel(MODEL), store })
const session = agent.session("terminal")
const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " })
let [turn, isOpen] = [undefined as Turn | undefined, true]

// A model's words must not steer the terminal.
const show = (text: string) => process.stdout.write(text.replace(/[^\P{Cc}\n\t]/gu, ""))

/** Ctrl-C ends the answer that runs; without one it ends the chat. */
const interrupt = () => (turn ? turn.abort() : terminal.close())
terminal.on("SIGINT", interrupt).once("close", () => {
  isOpen = false
})
process.on("SIGINT", interrupt)

for (const { speaker, text } of await session.history({ limit: 6 })) show(`${speaker.name}: ${text}\n`)
terminal.prompt()
for await (const line of terminal) {
  if (line.trim() !== "") {
    turn = session.send(line, { from: { id: "user" } })
    for await (const delta of turn.textStream) show(delta)
    const result = await turn.result
    show(result.ok || result.error.code === "aborted" ? "\n" : `${errorWords(result.error, profile.locale)}\n`)
    turn = undefined
  }
  // Piped input may have ended while the answer came.
  if (isOpen) terminal.prompt()
}
await agent.close()
await store.close()
