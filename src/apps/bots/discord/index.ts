export type { ConnectedBot } from "../create-bot.ts"
export { connectDiscord, type DiscordOptions } from "./connect-discord.ts"
