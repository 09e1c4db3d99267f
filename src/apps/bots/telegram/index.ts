export type { ConnectedBot } from "../create-bot.ts"
export { connectTelegram, type TelegramOptions } from "./connect-telegram.ts"
