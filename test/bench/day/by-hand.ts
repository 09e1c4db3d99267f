import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText, isStepCount, type ModelMessage, streamText, tool } from "ai"
import { z } from "zod"
import { lore, persona, runBot, toolCount, toolDescription, toolName, toolResult } from "./parts.ts"

/**
 * The same bot by hand on the AI SDK: `streamText` with tools, node:sqlite with FTS5 for what is remembered, a lorebook by keywords, and
 * one background call for ten turns. Its limits: two messages of a conversation at once mix; a crash loses the batch that was not judged;
 * a retried request is answered and stored twice; nothing is forgotten; words of users can pass for the prompt's own; no budget.
 */
await runBot(async ({ modelUrl, folder }) => {
  const database = new DatabaseSync(join(folder, "bot.sqlite"))
  database.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    create table messages (id integer primary key, user text, role text, content text, at_ms integer);
    create index messages_of_user on messages (user, id);
    create table profiles (user text primary key, facts text);
    create virtual table memories using fts5 (content, user unindexed, message_id unindexed, tokenize = 'porter unicode61');`)
  const insertMessage = database.prepare("insert into messages (user, role, content, at_ms) values (?, ?, ?, ?)")
  const lastMessages = database.prepare("select id, role, content from messages where user = ? order by id desc limit 20")
  const insertMemory = database.prepare("insert into memories (content, user, message_id) values (?, ?, ?)")
  const findMemories = database.prepare(
    "select content from memories where memories match ? and user = ? and message_id < ? order by rank limit 5",
  )
  const getFacts = database.prepare("select facts from profiles where user = ?")
  const setFacts = database.prepare("insert or replace into profiles (user, facts) values (?, ?)")

  const model = createOpenAICompatible({ name: "local", baseURL: `${modelUrl}/v1`, apiKey: "none" })("m")
  const inputSchema = z.object({ subject: z.string(), limit: z.number().int().optional() })
  const tools = Object.fromEntries(
    Array.from({ length: toolCount }, (_, at) => [
      toolName(at),
      tool({ description: toolDescription(at), inputSchema, execute: ({ subject }) => toolResult(subject) }),
    ]),
  )
  const patterns = lore.map(({ keys, content }) => ({ pattern: new RegExp(`\\b(?:${keys.join("|")})\\b`, "i"), content }))

  /** The turns of each user that were not judged yet. */
  const waiting = new Map<string, { readonly id: number; readonly text: string }[]>()
  const background = new Set<Promise<void>>()

  async function judge(user: string, turns: readonly { readonly id: number; readonly text: string }[]): Promise<void> {
    const facts = String(getFacts.get(user)?.facts ?? "")
    const { text } = await generateText({
      model,
      instructions: 'Judge what is worth remembering. Output valid JSON: {"importance": 0 to 10, "facts": ["about the user"]}',
      prompt: `${turns.map((turn) => turn.text).join("\n")}\n\nKnown: ${facts}`,
    })
    const judged = JSON.parse(text) as { readonly importance: number; readonly facts: readonly string[] }
    database.exec("begin immediate")
    if (judged.importance >= 3) for (const turn of turns) insertMemory.run(turn.text, user, turn.id)
    if (judged.facts.length > 0) setFacts.run(user, [facts, ...judged.facts].join("\n"))
    database.exec("commit")
  }

  function recalled(user: string, text: string, firstShown: number): readonly string[] {
    const words = text.match(/[\p{L}\p{N}]{3,}/gu) ?? []
    if (words.length === 0) return []
    const query = words.map((word) => `"${word}"`).join(" OR ")
    return findMemories.all(query, user, firstShown).map(({ content }) => String(content))
  }

  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as { readonly messages: { readonly content: string }[] }
    const user = String(request.headers["x-user"])
    const text = body.messages.at(-1)?.content ?? ""
    const shown = lastMessages.all(user).reverse()
    const history = shown.map(({ role, content }) => ({ role, content }) as ModelMessage)
    const memories = recalled(user, text, Number(shown[0]?.id ?? 0))
    const recent = [...history.slice(-4).map(({ content }) => String(content)), text].join("\n")
    const entries = patterns.filter(({ pattern }) => pattern.test(recent)).map(({ content }) => content)
    const context = [
      `Time: ${new Date().toISOString()}`,
      ...entries,
      ...memories.map((memory) => `You remember: ${memory}`),
      String(getFacts.get(user)?.facts ?? ""),
    ].join("\n")
    const messages: ModelMessage[] = [...history, { role: "user", content: `${context}\n\n${text}` }]
    const result = streamText({ model, instructions: persona, messages, tools, stopWhen: isStepCount(8) })
    response.setHeader("content-type", "text/event-stream")
    let answer = ""
    for await (const delta of result.textStream) {
      answer += delta
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: delta } }] })}\n\n`)
    }
    database.exec("begin immediate")
    const { lastInsertRowid: id } = insertMessage.run(user, "user", text, Date.now())
    insertMessage.run(user, "assistant", answer, Date.now())
    database.exec("commit")
    response.end("data: [DONE]\n\n")
    const turns = waiting.get(user) ?? []
    turns.push({ id: Number(id), text: `User: ${text}\nMira: ${answer}` })
    waiting.set(user, turns)
    if (turns.length < 10) return
    waiting.set(user, [])
    const work = judge(user, turns).finally(() => background.delete(work))
    background.add(work)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const settle = async () => {
    for (const [user, turns] of waiting) if (turns.length > 0) await judge(user, turns)
    waiting.clear()
    await Promise.all(background)
  }
  return { port: (server.address() as AddressInfo).port, settle }
})
