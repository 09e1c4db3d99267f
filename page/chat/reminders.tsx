import type { ChatFacts } from "../../src/apps/server/inspector/chat-routes.ts"
import type { Words } from "../words.ts"

interface RemindersProps {
  readonly reminders: ChatFacts["reminders"]
  /** Undefined where the page may only show them. */
  readonly drop?: (id: string) => unknown
  readonly words: Words
}

/** The reminders that wait to ring. */
export function Reminders({ reminders, drop, words }: RemindersProps) {
  if (reminders.length === 0) return null
  return (
    <ul class="reminders" aria-label={words.reminders}>
      {reminders.map(({ id, text }) => (
        <li key={id}>
          ⏰ <span id={`reminder-${id}`}>{text}</span>{" "}
          {drop && (
            <button type="button" aria-describedby={`reminder-${id}`} onClick={() => void drop(id)}>
              {words.dropReminder}
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
