import { createRequire } from "node:module"
import { Context } from "@koishijs/core"
import { HTTP } from "@koishijs/plugin-http"
import { SatoriAdapter } from "@satorijs/adapter-satori"

const { SATORI_URL = "http://127.0.0.1:5140/satori", SATORI_TOKEN = "", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const app = new Context()
app.plugin(HTTP)
app.plugin(SatoriAdapter as never, { endpoint: SATORI_URL, token: SATORI_TOKEN })
app.plugin(createRequire(import.meta.url)("./index.cjs"), { profile: PROFILE, model: MODEL, store: "./data" })
app.on("login-updated", ({ bot: { user } }) => console.log(`${user?.name} listens. Ctrl-C ends it.`))
await app.start()

// As Koishi itself ends: the event of its loader first.
const { parallel } = app as unknown as { parallel(event: "exit", signal: string): Promise<void> }
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => parallel.call(app, "exit", signal).then(() => app.stop()))
