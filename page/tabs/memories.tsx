import { useState } from "preact/hooks"
import { ask, type FoundMemory } from "../data.ts"
import type { TabProps } from "../tab.ts"
import type { Words } from "../words.ts"

/** The memories that the turn recalled with the signals of their scores, and a search for those that it did not. */
export function Memories({ record, info, words, isServed }: TabProps) {
  const [query, setQuery] = useState(record.question.slice(0, 1_000))
  const [found, setFound] = useState<readonly FoundMemory[]>()
  const [problem, setProblem] = useState("")
  const find = async (event: Event): Promise<void> => {
    event.preventDefault()
    try {
      setFound((await ask<{ memories: readonly FoundMemory[] }>(`turns/${record.id}/recall`, { query })).memories)
      setProblem("")
    } catch (error) {
      setProblem(String(error))
    }
  }
  return (
    <div>
      {record.recalled.length > 0 && <MemoryTable memories={record.recalled} words={words} />}
      {isServed && info.memory && (
        <form onSubmit={find} class="search">
          <label>
            {words.whyNot} <input value={query} onInput={(event) => setQuery(event.currentTarget.value)} />
          </label>
          <button type="submit">{words.find}</button>
        </form>
      )}
      {problem && <p role="alert">{problem}</p>}
      {found && (found.length > 0 ? <MemoryTable memories={found} words={words} /> : <p>{words.nothingFound}</p>)}
    </div>
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
