import { z } from "zod"
import type { LanguageModel, ModelRequest } from "../../../src/core/model/language-model.ts"
import { textChunks } from "../../../src/core/model/text-chunks.ts"
import type { Ports } from "../../../src/core/ports.ts"
import { type Agent, createAgent } from "../../../src/loop/agent/agent.ts"
import { createMemoryService } from "../../../src/memory/services/memory/create-memory-service.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { dialogueText, hashOf } from "./life-words.ts"

/** So few bytes that the indexes of users who are gone make room within a short run. */
const maxIndexBytes = 1_000_000

/** Makes an agent that remembers, keeps profiles and reflects, over a model that costs nothing and answers the same to the same words. */
export function lifeAgent(id: string, store: Store, ports: Partial<Ports> = {}): Agent {
  const clock = ports.clock ?? { nowMs: () => Date.now() }
  return createAgent({
    profile: resolveProfile({
      name: "life",
      dialect: "layered",
      locale: "en",
      agent: { id, name: "Fay" },
      persona: "You are Fay. You keep a small shop for old books.",
      history: { window: "steps" },
      memory: { importanceThreshold: 6, reflectEvery: 10, batchTurns: 4 },
    }),
    model: answeringModel(),
    store,
    ports,
    services: { memory: createMemoryService({ records: store.memories, clock, maxIndexBytes }) },
    tools: [
      defineTool({
        name: "shelf",
        description: "Tells on which shelf a book stands.",
        inputSchema: z.object({ book: z.string() }),
        execute: ({ book }) => `It stands on shelf ${hashOf(book) % 90}.`,
      }),
    ],
    // The one who started this process fails on it.
    onWarning: ({ message }) => console.log(`warning ${message}`),
  })
}

function answeringModel(): LanguageModel {
  return {
    id: "life",
    capabilities: { developerRole: false, tools: false },
    async *stream(request) {
      for (const delta of textChunks(answerTo(request), 40)) yield { type: "text-delta", delta }
      yield { type: "usage", usage: { inputTokens: 100, outputTokens: 10 } }
      yield { type: "finish", reason: "stop" }
    },
  }
}

function answerTo({ facts, messages }: ModelRequest): string {
  const shown = messages.at(-1)?.content ?? ""
  const chance = hashOf(`${facts?.prompt}${facts?.question}${shown}`)
  switch (facts?.prompt) {
    case "importance":
      return String(chance % 11)
    case "user-profile":
      return chance % 3 === 0 ? JSON.stringify({ town: `town ${chance % 50}` }) : "{}"
    case "importance-and-profile":
      return JSON.stringify({ importance: chance % 11, profile: chance % 3 === 0 ? { town: `town ${chance % 50}` } : {} })
    case "reflection":
      return JSON.stringify([{ insight: `They often speak of book ${chance % 1000}.`, memories: ["1", "2"] }])
    default:
  }
  const asksShelf = chance % 9 === 0 && facts?.runs.length === 0
  if (asksShelf) return JSON.stringify({ action: "tool", tool: "shelf", args: { book: `book ${chance % 500}` } })
  return JSON.stringify({ action: "finish", message: dialogueText(chance, "answer") })
}
