import { Client } from "discord.js"
import { connectDiscord } from "promptstrata/bots/discord"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { DISCORD_TOKEN = "", DISCORD_API = "https://discord.com/api", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const [store, profile] = await Promise.all([openStore("./data"), loadProfile(PROFILE)])
const discord = { discord: { Client }, token: DISCORD_TOKEN, api: DISCORD_API }
const bot = await connectDiscord({ ...discord, profile, model: openaiModel(MODEL), store })
console.log(`${bot.name} listens. Ctrl-C ends it.`)

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void bot.close().then(() => store.close()))
await bot.ended
