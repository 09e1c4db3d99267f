import type { Message } from "../../core/message.ts"
import type { ModelRequest, ModelTool } from "../../model/language-model.ts"
import type { Check } from "./check.ts"
import { claim, wholeAnswer } from "./claims.ts"

const answered = [
  { type: "text", text: "fine" },
  { type: "finish", reason: "stop" },
] as const

const tools: readonly ModelTool[] = [
  {
    name: "query_weather",
    description: "Looks up the zephyr.",
    inputSchema: { type: "object", properties: { borough: { type: "string" } }, required: ["borough"] },
  },
]

const talk: readonly Message[] = [
  { role: "system", content: "first-system-words" },
  { role: "system", content: "second-system-words" },
  { role: "developer", content: "developer-words" },
  { role: "user", content: "early-user-words" },
  { role: "assistant", content: "assistant-words" },
  { role: "user", content: "late-user-words" },
]
const toolRun: readonly Message[] = [
  { role: "assistant", content: "", toolCalls: [{ id: "call_w", name: "query_weather", args: '{"borough":"Northgate"}' }] },
  { role: "tool", content: "tool-result-words", toolCallId: "call_w" },
]

/** What a request becomes on its way to the provider. */
export const requestChecks: readonly Check[] = [
  {
    name: "a model has an id and says what it can take",
    scripts: [],
    async verify({ model: { id, capabilities } }) {
      claim(typeof id === "string" && id !== "", "an id", id)
      const { developerRole, tools: native } = capabilities
      claim(typeof developerRole === "boolean" && native === false, "capabilities that say there are no tools", capabilities)
    },
  },
  {
    name: "every message's words reach the provider, whatever their role",
    scripts: [answered],
    async verify(stage) {
      requireWords(
        await sent(stage, { messages: talk }),
        talk.map(({ content }) => content),
      )
    },
  },
  {
    name: "tools and their runs reach the provider of a model that has native tools",
    needs: ["tool-call"],
    tools: true,
    scripts: [answered],
    async verify(stage) {
      claim(stage.model.capabilities.tools, "capabilities that say there are tools", stage.model.capabilities)
      const body = await sent(stage, { messages: [...talk, ...toolRun], tools })
      requireWords(body, ["query_weather", "Looks up the zephyr.", "borough", "Northgate", "call_w", "tool-result-words"])
    },
  },
  {
    name: "tools are not sent to a model that has none",
    scripts: [answered],
    async verify(stage) {
      const body = await sent(stage, { messages: talk, tools })
      claim(!body.includes("query_weather") && !body.includes("zephyr"), "no tool in the request", body)
    },
  },
  {
    name: "half a character in a message is not sent as such",
    needs: ["split-characters"],
    scripts: [answered],
    async verify(stage) {
      const body = await sent(stage, { messages: [{ role: "user", content: "broken \ud83d words" }] })
      claim(body.isWellFormed() && !/\\ud[89a-f]/i.test(body), "a well-formed request", body)
    },
  },
]

async function sent(stage: Parameters<Check["verify"]>[0], request: ModelRequest): Promise<string> {
  wholeAnswer(await stage.read(undefined, request))
  const [body, more] = stage.requests
  claim(body !== undefined && more === undefined, "one request at the provider", stage.requests)
  return body
}

function requireWords(body: string, words: readonly string[]): void {
  const missing = words.filter((word) => !body.includes(word))
  claim(missing.length === 0, `the request to hold ${JSON.stringify(missing)}`, body)
}
