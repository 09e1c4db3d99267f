import { useState } from "preact/hooks"
import type { ChatFacts } from "../../src/apps/server/inspector/chat-routes.ts"
import type { Words } from "../words.ts"
import { fieldId } from "./use-chat.ts"

type Command = ChatFacts["commands"][number]

/** Some descriptions begin with what to write. */
function withoutName({ command, description }: Command): string {
  return description.startsWith(`/${command} `) ? description.slice(command.length + 2) : description
}

interface FieldProps {
  readonly text: string
  readonly commands: readonly Command[]
  readonly words: Words
  readonly onText: (text: string) => void
  readonly onSend: (event: Event) => void
}

const optionId = (name: string): string => `command-${name}`

/** The field for words. Behind a slash it lists the commands: arrows choose one, Enter or Tab takes it, Escape closes the list. */
export function CommandField({ text, commands, words, onText, onSend }: FieldProps) {
  const [at, setAt] = useState(0)
  const [closedAt, setClosedAt] = useState("")
  const isName = /^\/[a-z]*$/u.test(text) && text !== closedAt
  const shown = isName ? commands.filter(({ command }) => `/${command}`.startsWith(text)) : []
  const active = shown[Math.min(at, shown.length - 1)]
  const take = ({ command }: Command): void => {
    onText(`/${command} `)
    document.getElementById(fieldId)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
    const isWhole = text === `/${active?.command}`
    if (active && step !== 0) setAt((shown.indexOf(active) + step + shown.length) % shown.length)
    else if (active && event.key === "Escape") setClosedAt(text)
    else if (active && (event.key === "Tab" || event.key === "Enter") && !event.shiftKey && !isWhole) take(active)
    else if (event.key === "Enter" && !event.shiftKey) onSend(event)
    else return
    event.preventDefault()
  }
  return (
    <div class="command-field">
      <textarea
        id={fieldId}
        aria-label={words.say}
        aria-autocomplete="list"
        aria-controls={active && "commands"}
        aria-activedescendant={active && optionId(active.command)}
        placeholder={words.sayOrCommand}
        value={text}
        rows={2}
        onInput={(event) => {
          onText(event.currentTarget.value)
          setAt(0)
          setClosedAt("")
        }}
        onKeyDown={onKeyDown}
      />
      <p class="unseen" role="status">
        {active && words.commandCount(shown.length)}
      </p>
      {active && (
        <div id="commands" class="commands" role="listbox" aria-label={words.commands}>
          {shown.map((one) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={one.command}
              id={optionId(one.command)}
              role="option"
              tabIndex={-1}
              aria-selected={one === active}
              onClick={() => take(one)}
            >
              <strong>/{one.command}</strong> {withoutName(one)}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
