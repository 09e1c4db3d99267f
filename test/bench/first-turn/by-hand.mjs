// The same turn by hand on the AI SDK: `streamText` with eight tools, and node:sqlite for the history and what is remembered.
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { isStepCount, streamText, tool } from "ai"
// That of the project: the one beside the peers would be loaded as well.
import { z } from "../../../node_modules/zod/index.js"
import { persona, toolDescription, toolName, toolResult } from "../day/parts.ts"
import { tellCpu } from "./tell-cpu.mjs"

const [baseURL, folder] = process.argv.slice(2)
const database = new DatabaseSync(join(folder, "bot.sqlite"))
database.exec(`
  pragma journal_mode = wal;
  pragma synchronous = full;
  create table if not exists messages (id integer primary key, user text, role text, content text, at_ms integer);
  create index if not exists messages_of_user on messages (user, id);
  create virtual table if not exists memories using fts5 (content, user unindexed, tokenize = 'porter unicode61');`)
const text = "Please look up what guests said of tea."
const history = database
  .prepare("select role, content from messages where user = ? order by id desc limit 20")
  .all("ann")
  .reverse()
const query = text.match(/\w{3,}/g).map((word) => `"${word}"`)
const found = database.prepare("select content from memories where memories match ? and user = ? order by rank limit 5")
const memories = found.all(query.join(" OR "), "ann").map(({ content }) => `You remember: ${content}`)
const inputSchema = z.object({ subject: z.string(), limit: z.number().int().optional() })
const tools = Object.fromEntries(
  Array.from({ length: 8 }, (_, at) => [
    toolName(at),
    tool({ description: toolDescription(at), inputSchema, execute: ({ subject }) => toolResult(subject) }),
  ]),
)
const result = streamText({
  model: createOpenAICompatible({ name: "local", baseURL, apiKey: "none" })("m"),
  instructions: persona,
  messages: [...history, { role: "user", content: [...memories, text].join("\n") }],
  tools,
  stopWhen: isStepCount(8),
})
let answer = ""
for await (const delta of result.textStream) answer += delta
database.exec("begin immediate")
const insert = database.prepare("insert into messages (user, role, content, at_ms) values (?, ?, ?, ?)")
insert.run("ann", "user", text, Date.now())
insert.run("ann", "assistant", answer, Date.now())
database.exec("commit")
tellCpu(answer)
database.close()
