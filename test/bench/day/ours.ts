import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { openaiModel } from "../../../src/adapters/models/openai/index.ts"
import { openStore } from "../../../src/adapters/stores/open-store.ts"
import { createHandler } from "../../../src/apps/server/index.ts"
import { listen } from "../../../src/apps/server/listen.ts"
import { createAgent, defineTool, resolveProfile } from "../../../src/index.ts"
import { loadPlugins } from "../../../src/node/index.ts"
import { lore, persona, runBot, toolCount, toolDescription, toolName, toolResult } from "./parts.ts"

/** The bot on this library: memory, background work, a lorebook and tools, as `createHandler` serves them. */
await runBot(async ({ modelUrl, folder }) => {
  const store = await openStore(folder)
  const world = join(folder, "world.json")
  const entries = lore.map(({ keys, content }, at) => ({ keys, content, enabled: true, insertion_order: at, use_regex: false }))
  writeFileSync(world, JSON.stringify({ spec: "lorebook_v3", data: { extensions: {}, entries } }))
  const inputSchema = z.object({ subject: z.string(), limit: z.number().int().optional() })
  const agent = createAgent({
    profile: resolveProfile({ dialect: "layered", locale: "en", persona, agent: { id: "mira" }, loop: { mode: "native" } }),
    model: openaiModel({ model: "m", baseUrl: `${modelUrl}/v1`, apiKey: "none", capabilities: { tools: true } }),
    store,
    plugins: await loadPlugins(["lorebook"], { options: { lorebook: { files: [world] } } }),
    tools: Array.from({ length: toolCount }, (_, at) =>
      defineTool({
        name: toolName(at),
        description: toolDescription(at),
        inputSchema,
        execute: ({ subject }) => toolResult(subject),
      }),
    ),
  })
  const handle = createHandler({
    agents: { mira: agent },
    authorize: ({ headers }) => {
      const user = headers.get("x-user") ?? ""
      return { user, conversation: user }
    },
  })
  const { port } = await listen(handle, { host: "127.0.0.1", port: 0 })
  return { port, settle: () => agent.idle() }
})
