import { useRef, useState } from "preact/hooks"
import { cut } from "../turns.tsx"
import type { Words } from "../words.ts"
import { Approvals } from "./approvals.tsx"
import { CommandField } from "./command-field.tsx"
import { Reminders } from "./reminders.tsx"
import type { ChatState } from "./use-chat.ts"

/** An answer that a command shows stands whole beside its turn. */
const maxShown = 5_000

interface ChatProps {
  readonly chat: ChatState
  readonly words: Words
}

/** The greeting with which a conversation begins, and the others of the character. */
function Greeting({ chat, words }: ChatProps) {
  const { greeting } = chat.facts ?? {}
  if (greeting === undefined) return null
  const { text, number, count } = greeting
  const swipe = (step: number) => void chat.say(`/swipe ${((number - 1 + step + count) % count) + 1}`)
  return (
    <section class="greeting">
      <p class="lines">{cut(text, maxShown)}</p>
      {count > 1 && (
        <div class="buttons second-thoughts">
          <button type="button" aria-label={words.greetingBefore} onClick={() => swipe(-1)}>
            ‹
          </button>
          <span role="status">{words.greetingOf(number, count)}</span>
          <button type="button" aria-label={words.greetingAfter} onClick={() => swipe(1)}>
            ›
          </button>
        </div>
      )}
    </section>
  )
}

/** A place to talk, with the calls that wait for an answer above it. */
export function Chat({ chat, words }: ChatProps) {
  const [text, setText] = useState("")
  const picker = useRef<HTMLInputElement>(null)
  const choose = (files: readonly File[]): void => {
    const list = new DataTransfer()
    for (const file of files) list.items.add(file)
    if (picker.current) picker.current.files = list.files
  }
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    const files = [...(picker.current?.files ?? [])]
    if (text.trim() === "" && files.length === 0) return
    // Cleared at once, so that a second press sends nothing.
    setText("")
    choose([])
    if (await chat.say(text, files)) return
    setText((now) => now || text)
    choose(files)
  }
  return (
    <>
      <Greeting chat={chat} words={words} />
      <Approvals
        {...{ answering: chat.answering, answer: chat.answer, words }}
        label={words.waiting}
        waiting={chat.facts?.approvals ?? []}
      />
      <Reminders {...{ words }} reminders={chat.facts?.reminders ?? []} drop={(id) => chat.say(`/schedule cancel ${id}`)} />
      <form class="chat" onSubmit={send}>
        <CommandField
          {...{ text, words }}
          commands={chat.facts?.commands ?? []}
          onText={setText}
          onSend={(event) => void send(event)}
        />
        <input type="file" multiple aria-label={words.files} ref={picker} />
        <button type="submit">{words.send}</button>
        <p class="lines" role="status">
          {cut(chat.said, maxShown)}
        </p>
        {chat.problem && <p role="alert">{chat.problem}</p>}
      </form>
    </>
  )
}
