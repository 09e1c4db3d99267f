import { useState } from "preact/hooks"
import type { StoredMemory } from "../../src/memory/services/store/records.ts"
import { ask, type FoundMemory } from "../data.ts"
import type { TabProps } from "../tab.ts"
import type { Words } from "../words.ts"

/** The answer to a search of memories. */
interface Search {
  readonly memories: readonly FoundMemory[]
  readonly others: readonly StoredMemory[]
  readonly recallLimit: number
}

/** The memories that the turn recalled with the signals of their scores, and a search for those that it did not. */
export function Memories({ record, info, words, isServed }: TabProps) {
  const [query, setQuery] = useState(record.question.slice(0, 1_000))
  const [found, setFound] = useState<Search>()
  const [problem, setProblem] = useState("")
  const find = async (event: Event): Promise<void> => {
    event.preventDefault()
    try {
      setFound(await ask<Search>(`turns/${record.id}/recall`, { query }))
      setProblem("")
    } catch (error) {
      setProblem(String(error))
    }
  }
  return (
    <div>
      {record.recalled.length > 0 ? (
        <MemoryTable memories={record.recalled} words={words} />
      ) : (
        <p class="quiet">{words.noneRecalled}</p>
      )}
      {isServed && info.memory && (
        <form onSubmit={find} class="search">
          <label>
            {words.whyNot} <input value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
          </label>
          <button type="submit">{words.find}</button>
        </form>
      )}
      {problem && <p role="alert">{problem}</p>}
      {found && <Found {...found} words={words} />}
    </div>
  )
}

/** The memories that a turn would get, those behind its limit, and those that have nothing of the words. */
function Found({ memories, others, recallLimit, words }: Search & { readonly words: Words }) {
  const behind = memories.slice(recallLimit)
  return (
    <>
      {memories.length > 0 ? (
        <MemoryTable memories={memories.slice(0, recallLimit)} words={words} />
      ) : (
        <p>{words.nothingFound}</p>
      )}
      {behind.length > 0 && (
        <>
          <h2>{words.behind(recallLimit)}</h2>
          <MemoryTable memories={behind} words={words} />
        </>
      )}
      {others.length > 0 && (
        <>
          <h2>{words.nothingOf}</h2>
          <MemoryTable memories={others.map(({ speaker, ...memory }) => ({ ...memory, speaker: speaker.name }))} words={words} />
        </>
      )}
    </>
  )
}

function MemoryTable({ memories, words }: { readonly memories: readonly FoundMemory[]; readonly words: Words }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{words.score}</th>
          <th scope="col">{words.memories}</th>
        </tr>
      </thead>
      <tbody>
        {memories.map(({ id, text, speaker, score, why = [], atMs }, at) => (
          <tr key={id ?? at}>
            <td class="number">{score?.toFixed(2)}</td>
            <td>
              {speaker && <strong>{speaker}: </strong>}
              {text}
              <small>
                {" "}
                {atMs !== undefined && new Date(atMs).toLocaleString()}{" "}
                {why.map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`).join(", ")}
              </small>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
