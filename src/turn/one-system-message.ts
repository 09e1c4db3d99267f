import type { Message } from "../core/message.ts"

/** The messages with every system message joined to the first, parted by blank lines, for models that take only one. */
export function oneSystemMessage(messages: readonly Message[]): readonly Message[] {
  const system = messages.filter(({ role }) => role === "system")
  const first = messages.findIndex(({ role }) => role === "system")
  if (system.length < 2) return messages
  const joined: Message = { role: "system", content: system.map(({ content }) => content).join("\n\n") }
  return messages.flatMap((message, index) => (index === first ? [joined] : message.role === "system" ? [] : [message]))
}
