import type { BotMessage } from "../../src/apps/bots/bot-message.ts"
import type { BotChat } from "../../src/apps/bots/deliver-turn.ts"
import { checkMessage, readied, takeReady } from "../../src/apps/bots/take-message.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import type { TurnResult } from "../../src/trace/turn-event.ts"

/** Takes a message as a bot does, without keeping it in a store. Resolves with the result of its turn. */
export async function takeMessage(session: Session, message: BotMessage, chat: BotChat): Promise<TurnResult | undefined> {
  checkMessage(message)
  const ready = await readied(session, message, chat)
  return ready && takeReady(session, ready, chat)
}
