import { Bot, InputFile } from "grammy"
import { connectTelegram } from "promptstrata/bots/telegram"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { openStore } from "promptstrata/stores"

const { TELEGRAM_TOKEN = "", TELEGRAM_API = "https://api.telegram.org", PROFILE = "layered", MODEL = "gpt-5-mini" } = process.env

const [store, profile] = await Promise.all([openStore("./data"), loadProfile(PROFILE)])
const telegram = { grammy: { Bot, InputFile }, token: TELEGRAM_TOKEN, api: TELEGRAM_API }
const bot = await connectTelegram({ ...telegram, profile, model: openaiModel(MODEL), store })
console.log(`${bot.name} listens. Ctrl-C ends it.`)

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void bot.close().then(() => store.close()))
await bot.ended
