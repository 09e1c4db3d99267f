import type { HistoryMessage } from "../../core/conversation.ts"

/** When the model's messages are shown compressed (R12). */
export interface CompressionSettings {
  /** A longer message is over length. */
  readonly maxCharacters: number
  /** This many of the model's last messages are always shown whole: `mini_full_context_count`. */
  readonly fullMessages: number
  /** A longer window is over budget: then shorter messages are compressed too, oldest first. */
  readonly budgetCharacters: number
  /** The most characters of a compressed message. */
  readonly targetCharacters: number
}

export const defaultCompression: CompressionSettings = {
  maxCharacters: 400,
  fullMessages: 4,
  budgetCharacters: 12_000,
  targetCharacters: 160,
}

/** A message that has been compressed: plain JSON. */
export interface CompressedMessage {
  /** The turn whose answer was compressed. */
  readonly turnId: string
  readonly text: string
  /** True once a prompt has shown it. From then on every prompt shows it. */
  readonly shown: boolean
}

/**
 * Marks the compressed messages that the next prompt shows. Those that were shown before stay. When twice `fullMessages` of the model's
 * messages are whole, the older half of them follows, oldest first: each message over length, and shorter ones while the window is over
 * budget. These steps keep the beginning of a prompt the same from turn to turn. Users' messages are never compressed (R12).
 */
export function showCompressed(
  history: readonly HistoryMessage[],
  messages: readonly CompressedMessage[],
  settings: CompressionSettings,
): readonly CompressedMessage[] {
  const byTurn = new Map(messages.map((message) => [message.turnId, message]))
  const answers = history.filter(({ role, text }) => role === "assistant" && text.trim() !== "")
  const whole = answers.filter(({ turnId }) => byTurn.get(turnId)?.shown !== true)
  const { fullMessages } = settings
  const isStep = whole.length >= Math.max(1, 2 * fullMessages)
  const candidates = isStep ? answers.slice(0, answers.length - fullMessages) : []
  const due = new Set<string>()
  let left = shownCharacters(history, byTurn)
  for (const { turnId, text } of candidates) {
    const cached = byTurn.get(turnId)
    if (cached === undefined || cached.shown || cached.text.length >= text.length) continue
    if (text.length <= settings.maxCharacters && left <= settings.budgetCharacters) continue
    due.add(turnId)
    left -= text.length - cached.text.length
  }
  return messages.map((message) => (due.has(message.turnId) ? { ...message, shown: true } : message))
}

function shownCharacters(history: readonly HistoryMessage[], byTurn: ReadonlyMap<string, CompressedMessage>): number {
  let total = 0
  for (const { role, turnId, text } of history) {
    const cached = role === "assistant" ? byTurn.get(turnId) : undefined
    total += cached?.shown ? cached.text.length : text.length
  }
  return total
}
