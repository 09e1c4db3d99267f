import OpenAI from "openai"
import { expect } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { PageChat } from "../page-chat.ts"
import { base64, type Door, type Life, shownCall } from "./life.ts"

/** A server over HTTP, which survives its processes under one address. */
export function served({ next }: Life) {
  let agent = createAgent(next())
  const handlerOf = () =>
    createHandler({
      agents: { fay: agent },
      authorize: () => ({ user: "ann", name: "Ann", conversation: "home" }),
      onError: () => undefined,
    })
  let handle = handlerOf()
  return {
    fetch: async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init)),
    idle: () => agent.idle(),
    async restart() {
      await agent.close()
      agent = createAgent(next())
      handle = handlerOf()
    },
  }
}

export function openaiDoor(server: ReturnType<typeof served>): Door {
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bot.test/v1", fetch: server.fetch as never, maxRetries: 0 })
  const messages: OpenAI.ChatCompletionMessageParam[] = []
  const answers: string[] = []
  const ask = async (content?: OpenAI.ChatCompletionUserMessageParam["content"]): Promise<void> => {
    if (content) messages.push({ role: "user", content })
    else messages.pop()
    const { choices } = await client.chat.completions.create({ model: "fay", messages })
    const text = choices[0]?.message.content ?? ""
    messages.push({ role: "assistant", content: text })
    answers.push(text)
  }
  return {
    showPhoto: (text) =>
      ask([
        { type: "text", text },
        { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } },
      ]),
    say: (words) => ask(words),
    restart: server.restart,
    allow: () => ask(`yes ${/"Yes (\w{6})"/.exec(answers.at(-1) ?? "")?.[1]}`),
    again: () => ask(),
    seen: () => answers.map(shownCall),
  }
}

export function pageDoor(server: ReturnType<typeof served>): Door {
  const chat = new PageChat(server.fetch)
  const answers: string[] = []
  const look = (): void => {
    const { state, toolName, input } = (chat.part ?? {}) as unknown as Record<string, string>
    const asks = state === "approval-requested" ? `${toolName}(${Object.entries(input ?? {}).map((pair) => pair.join("="))})` : ""
    answers.push([...(chat.shown.at(-1)?.[1] ?? []), asks].join(""))
  }
  return {
    showPhoto: async (text) => {
      const url = `data:image/png;base64,${base64}`
      await chat.sendMessage({ text, files: [{ type: "file", mediaType: "image/png", filename: "cat.png", url }] })
      look()
    },
    say: async (text) => {
      await chat.sendMessage({ text })
      look()
    },
    restart: server.restart,
    allow: async () => {
      await chat.addToolApprovalResponse({ id: chat.part.approval.id, approved: true })
      await expect.poll(() => chat.part.state).toBe("output-available")
      await expect.poll(() => chat.status).toBe("ready")
      look()
    },
    again: async () => {
      await chat.regenerate()
      look()
    },
    seen: () => answers,
  }
}

export function agUiDoor(server: ReturnType<typeof served>): Door {
  const messages: object[] = []
  const answers: string[] = []
  let interrupts: readonly { readonly id: string; readonly message: string }[] = []
  const run = async (more: object = {}): Promise<void> => {
    const input = { threadId: "t", runId: `${answers.length}`, messages, tools: [], context: [], state: {}, ...more }
    const response = await server.fetch("http://bot.test/ag-ui", { method: "POST", body: JSON.stringify(input) })
    const lines = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: "))
    const events = lines.map((line) => JSON.parse(line.slice(6)))
    const text = events.flatMap(({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? [delta] : [])).join("")
    interrupts = events.at(-1)?.outcome?.interrupts ?? []
    answers.push(text + interrupts.map(({ message }) => shownCall(message)).join())
    messages.push({ id: `a${answers.length}`, role: "assistant", content: text })
  }
  const ask = (content: unknown): Promise<void> => {
    messages.push({ id: `u${answers.length}`, role: "user", content })
    return run()
  }
  return {
    showPhoto: (text) =>
      ask([
        { type: "text", text },
        { type: "image", source: { type: "data", value: base64, mimeType: "image/png" } },
      ]),
    say: ask,
    restart: server.restart,
    allow: () => run({ resume: [{ interruptId: interrupts[0]?.id, status: "resolved", payload: { approved: true } }] }),
    again: () => {
      messages.pop()
      return run()
    },
    seen: () => answers,
  }
}
