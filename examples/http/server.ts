import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { createAgent } from "promptstrata"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { createHandler } from "promptstrata/server"
import { openStore } from "promptstrata/stores"

const {
  KEYS = "",
  ORIGINS = "http://localhost:3000,http://localhost:5173",
  PORT = "8787",
  PROFILE = "layered",
  MODEL = "gpt-5-mini",
} = process.env

// KEYS="ann:secret-1,bob:secret-2"
const users = new Map(
  KEYS.split(",").map((entry): [string, string] => [`Bearer ${entry.split(":")[1]}`, entry.split(":")[0] ?? ""]),
)
const store = await openStore("./data")
const profile = await loadProfile(PROFILE)
const agent = createAgent({ profile, model: openaiModel(MODEL), store })
const handle = createHandler({
  agents: { [profile.agent.name]: agent },
  authorize: ({ headers }) => {
    const user = users.get(headers.get("authorization") ?? "")
    const conversation = headers.get("x-conversation")
    // A conversation belongs to its user, whatever name a page gives it.
    return user ? { user, conversation: conversation ? JSON.stringify([user, conversation]) : undefined } : undefined
  },
  // The pages in whose code the browser may ask: those of the React servers of Next.js and Vite.
  allowedOrigins: ORIGINS.split(","),
  locale: profile.locale,
})

const app = new Hono()
app.get("/", (c) => c.text(`${profile.agent.name} is here: /v1, /api/chat and /ag-ui.`))
app.all("*", (c) => handle(c.req.raw))
const server = serve({ fetch: app.fetch, port: Number(PORT) }, ({ port }) =>
  console.log(`http://localhost:${port} · Ctrl-C ends it.`),
)

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    server.close()
    await agent.close()
    await store.close()
  })
