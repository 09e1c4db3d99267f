import type { HistoryMessage } from "../core/history.ts"

/** A message in other words is one object over all turns, so that its entry is made and counted once. */
const rewritten = new WeakMap<HistoryMessage, HistoryMessage>()

/** How a turn's prompts show the window: from a turn on, and answers in other words (R11, R12). The conversation itself stays. */
export class HistoryView {
  readonly #texts = new Map<string, string>()
  #from: string | undefined

  showAs(turnId: string, text: string): void {
    this.#texts.set(turnId, text)
  }

  showFrom(turnId: string): void {
    this.#from = turnId
  }

  /** What is shown of the messages; users' words as they are. */
  of(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
    const from = this.#from === undefined ? -1 : history.findIndex(({ turnId }) => turnId === this.#from)
    const shown = from > 0 ? history.slice(from) : history
    return this.#texts.size === 0 ? shown : shown.map((message) => this.#inOtherWords(message))
  }

  #inOtherWords(message: HistoryMessage): HistoryMessage {
    const text = message.role === "assistant" ? this.#texts.get(message.turnId) : undefined
    if (text === undefined || text === message.text) return message
    const before = rewritten.get(message)
    if (before?.text === text) return before
    const other = { ...message, text }
    rewritten.set(message, other)
    return other
  }
}
