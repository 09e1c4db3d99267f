// The first turn of a process on this library, as it is published: the profile, a model over HTTP, SQLite and eight tools.

import { createAgent, defineTool, resolveProfile } from "../../../dist/index.js"
import { openaiModel } from "../../../dist/models/openai.js"
import { openStore } from "../../../dist/stores.js"
// That of the project: the one beside the peers would be loaded as well.
import { z } from "../../../node_modules/zod/index.js"
import { persona, toolDescription, toolName, toolResult } from "../day/parts.ts"
import { tellCpu } from "./tell-cpu.mjs"

const [baseUrl, folder, dialect] = process.argv.slice(2)
const store = await openStore(folder)
const inputSchema = z.object({ subject: z.string(), limit: z.number().int().optional() })
const agent = createAgent({
  profile: resolveProfile({ dialect, locale: "en", persona, agent: { id: "mira" }, loop: { mode: "native" } }),
  model: openaiModel({ model: "m", baseUrl, apiKey: "none", capabilities: { tools: true } }),
  store,
  tools: Array.from({ length: 8 }, (_, at) =>
    defineTool({
      name: toolName(at),
      description: toolDescription(at),
      inputSchema,
      execute: ({ subject }) => toolResult(subject),
    }),
  ),
})
const result = await agent.session("ann").send("Please look up what guests said of tea.").result
if (!result.ok) throw result.error
tellCpu(result.text)
await agent.close()
await store.close()
