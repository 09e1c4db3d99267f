import { useState } from "preact/hooks"
import type { Words } from "../words.ts"
import { Approvals } from "./approvals.tsx"
import { type ChatState, fieldId } from "./use-chat.ts"

/** A place to talk, with the calls that wait for an answer above it. */
export function Chat({ chat, words }: { readonly chat: ChatState; readonly words: Words }) {
  const [text, setText] = useState("")
  const send = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (text.trim() !== "" && (await chat.say(text))) setText("")
  }
  return (
    <>
      <Approvals chat={chat} words={words} />
      <form class="chat" onSubmit={send}>
        <textarea
          id={fieldId}
          aria-label={words.say}
          placeholder={words.say}
          value={text}
          rows={2}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.isComposing) void send(event)
          }}
        />
        <button type="submit">{words.send}</button>
        {chat.problem && <p role="alert">{chat.problem}</p>}
      </form>
    </>
  )
}
