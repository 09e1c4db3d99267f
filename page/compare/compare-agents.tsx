import { useState } from "preact/hooks"
import type { Info } from "../data.ts"
import type { Words } from "../words.ts"
import { AgentSides, bothUnchanged } from "./agent-sides.tsx"
import { Questions } from "./questions.tsx"

/** Two agents side by side, without a turn: for words that a person types, or for a file of questions. */
export function CompareAgents({ info, words }: { readonly info: Info; readonly words: Words }) {
  const [agents, setAgents] = useState(bothUnchanged)
  const [question, setQuestion] = useState("")
  const [isFile, setFile] = useState(false)
  return (
    <main class="turn-view">
      <div class="panel compare">
        <h2>{words.compareAgents}</h2>
        <fieldset class="modes">
          <legend>{words.compareBy}</legend>
          {[false, true].map((value) => (
            <label key={String(value)}>
              <input type="radio" name="compare-by" checked={isFile === value} onChange={() => setFile(value)} />{" "}
              {value ? words.questionFile : words.question}
            </label>
          ))}
        </fieldset>
        {isFile ? (
          <Questions {...{ agents, info, words }} onAgents={setAgents} />
        ) : (
          <>
            <label class="asked">
              {words.question}
              <textarea value={question} rows={2} onInput={(event) => setQuestion(event.currentTarget.value)} />
            </label>
            <p class="quiet">{words.standsAlone}</p>
            <AgentSides asked={{ question }} {...{ agents, info, words }} onAgents={setAgents} />
          </>
        )}
      </div>
    </main>
  )
}
