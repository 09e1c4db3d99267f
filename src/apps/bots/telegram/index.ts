export { type ConnectedBot, connectTelegram, type TelegramOptions } from "./connect-telegram.ts"
