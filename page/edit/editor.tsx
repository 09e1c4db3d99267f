import { useEffect, useRef } from "preact/hooks"
import type { Words } from "../words.ts"
import type { Problem } from "./client.ts"

interface EditorProps {
  readonly text: string
  /** The line to begin at. */
  readonly line: number | undefined
  readonly problem: Problem | undefined
  readonly isReadOnly: boolean
  readonly onText: (text: string) => void
  readonly words: Words
}

/** A text with line numbers. The line of a mistake is marked. */
export function Editor({ text, line, problem, isReadOnly, onText, words }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const count = text.split("\n").length
  const wrong = problem?.source?.line
  useEffect(() => {
    if (line === undefined || !area.current || !box.current) return
    let start = 0
    for (const before of text.split("\n").slice(0, line - 1)) start += before.length + 1
    area.current.setSelectionRange(start, start)
    box.current.scrollTop = (box.current.scrollHeight / count) * Math.max(0, line - 4)
  }, [line])
  return (
    <div class="editor" ref={box}>
      <div class="numbers" aria-hidden="true">
        {Array.from({ length: count }, (_, at) => (
          <div key={at} class={at + 1 === wrong ? "wrong" : ""}>
            {at + 1}
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        aria-label={words.textOfFile}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && "edit-problem"}
        wrap="off"
        spellcheck={false}
        rows={count}
        readOnly={isReadOnly}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    </div>
  )
}
