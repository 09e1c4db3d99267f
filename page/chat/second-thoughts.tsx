import { useEffect, useRef, useState } from "preact/hooks"
import type { Words } from "../words.ts"
import { type ChatState, fieldId } from "./use-chat.ts"

interface SecondThoughtsProps {
  readonly chat: ChatState
  /** The turn beside which they stand. */
  readonly turnId: string
  readonly words: Words
}

/** Buttons at the last turn of the page's conversation: another answer, other words, and the answers that were set aside. */
export function SecondThoughts({ chat, turnId, words }: SecondThoughtsProps) {
  const [edited, setEdited] = useState<string>()
  // A second press does nothing.
  const isRunning = useRef(false)
  useEffect(() => setEdited(undefined), [turnId])
  const last = chat.facts?.last
  if (last?.turnId !== turnId) return null
  const { question, answers } = last
  const at = answers.indexOf(turnId)
  const run = async (command: string): Promise<boolean> => {
    if (isRunning.current) return false
    isRunning.current = true
    const isDone = await chat.say(command)
    isRunning.current = false
    return isDone
  }
  const swipe = (step: number) => void run(`/swipe ${((at + step + answers.length) % answers.length) + 1}`)
  const save = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (edited?.trim() && (await run(`/edit ${edited}`))) setEdited(undefined)
    document.getElementById(fieldId)?.focus()
  }
  return (
    <>
      <fieldset class="buttons second-thoughts" aria-label={words.secondThoughts}>
        {question !== undefined && (
          <button type="button" onClick={() => void run("/regenerate")}>
            {words.regenerate}
          </button>
        )}
        {question !== undefined && (
          <button
            type="button"
            aria-expanded={edited !== undefined}
            onClick={() => setEdited(edited === undefined ? question : undefined)}
          >
            {words.editWords}
          </button>
        )}
        {answers.length > 1 && (
          <>
            <button type="button" aria-label={words.answerBefore} onClick={() => swipe(-1)}>
              ‹
            </button>
            <span>{words.answerOf(at + 1, answers.length)}</span>
            <button type="button" aria-label={words.answerAfter} onClick={() => swipe(1)}>
              ›
            </button>
          </>
        )}
      </fieldset>
      {edited !== undefined && (
        <form class="chat" onSubmit={save}>
          <textarea
            aria-label={words.otherWords}
            value={edited}
            rows={3}
            ref={(field) => field?.focus()}
            onInput={(event) => setEdited(event.currentTarget.value)}
          />
          <button type="submit">{words.send}</button>
        </form>
      )}
    </>
  )
}
