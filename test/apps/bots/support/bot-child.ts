import { z } from "zod"
import { openaiModel } from "../../../../src/adapters/models/openai/index.ts"
import { openStore } from "../../../../src/adapters/stores/index.ts"
import { createBot } from "../../../../src/apps/bots/create-bot.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"

/** The settings of a bot that a test kills. */
export interface BotWork {
  readonly folder: string
  /** The address of Telegram with the bot's token, that of the model, and where payments are made. */
  readonly telegram: string
  readonly model: string
  readonly bank: string
  /** How far the clock is ahead, so that what an earlier process held is free. */
  readonly aheadMs: number
}

const { folder, telegram, model, bank, aheadMs }: BotWork = JSON.parse(process.argv[2] ?? "{}")

async function call(method: string, fields: object): Promise<unknown> {
  const response = await fetch(`${telegram}/${method}`, { method: "POST", body: JSON.stringify(fields) })
  return ((await response.json()) as { readonly result: unknown }).result
}

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  inputSchema: z.object({ n: z.number() }),
  writes: true,
  execute: async ({ n }) => (await fetch(`${bank}?n=${n}`)).text(),
})
const clock = { nowMs: () => Date.now() + aheadMs }
const store = await openStore(folder, { clock })
const bot = createBot({
  profile: resolveProfile({
    ...{ name: "Mira", dialect: "layered", persona: "You are Mira.", locale: "en" },
    ...{ memory: { enabled: false }, output: { bubbles: true }, loop: { mode: "json" } },
  }),
  model: openaiModel({ model: "test", baseUrl: model, apiKey: "key" }),
  tools: [pay],
  store,
  ports: { clock },
  chat: ({ conversation }) => ({
    limit: 4096,
    sendText: (text) => call("sendMessage", { chat_id: Number(conversation), text }),
  }),
})

/** The field of the Bot API that makes a poll long. */
const pollSeconds = "timeout"

interface Update {
  readonly update_id: number
  readonly message: { readonly message_id: number; readonly text: string; readonly chat: { readonly id: number } }
}

const stopped = new AbortController()
process.once("SIGTERM", () => stopped.abort())
const ended = new Promise<readonly Update[]>((resolve) => stopped.signal.addEventListener("abort", () => resolve([])))
let offset = 0
while (!stopped.signal.aborted) {
  const polled = call("getUpdates", { offset, [pollSeconds]: 50 }) as Promise<readonly Update[]>
  for (const { update_id, message } of await Promise.race([polled, ended])) {
    const conversation = { conversation: `${message.chat.id}`, audience: "private" } as const
    const from = { id: `telegram:${message.chat.id}`, name: "Ann" }
    await bot.take(conversation, { id: `${message.message_id}`, text: message.text, from })
    offset = update_id + 1
  }
}
await bot.close()
await store.close()
process.exit()
