import { useMemo, useState } from "preact/hooks"
import type { RecordedRequest, TurnRecord } from "../src/server/inspector/turn-record.ts"
import { barsOf } from "./bars.ts"
import { ask, type FoundMemory } from "./data.ts"
import { TextView } from "./text-view.tsx"
import type { Words } from "./words.ts"

interface TabProps {
  readonly record: TurnRecord
  readonly words: Words
}

/** The course of a turn: recall and prestart, calls of the model, tools, the text, with their times. */
export function Waterfall({ record, words }: TabProps) {
  const duration = Math.max(1, record.durationMs ?? Math.max(0, ...record.events.map(({ atMs, endMs }) => endMs ?? atMs)))
  const bars = barsOf(record.events, duration)
  return (
    <div class="waterfall">
      <table>
        <tbody>
          {bars.map(({ name, kind, fromMs, toMs, note }, at) => (
            <tr key={at}>
              <th scope="row">
                {kind} <small>{name}</small>
              </th>
              <td class="lane">
                <span
                  class={`time ${kind}`}
                  style={{
                    left: `${(100 * fromMs) / duration}%`,
                    width: `${Math.max(0.3, (100 * (toMs - fromMs)) / duration)}%`,
                  }}
                />
              </td>
              <td class="number">{fromMs} ms</td>
              <td class="number">{toMs > fromMs ? `+${toMs - fromMs} ms` : ""}</td>
              <td>{note}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {record.lostEvents > 0 && <p>{words.lostEvents(record.lostEvents)}</p>}
      {record.warnings.length > 0 && (
        <>
          <h2>{words.warnings}</h2>
          <ul>
            {record.warnings.map(({ kind, message }, at) => (
              <li key={at}>
                <strong>{kind}</strong> {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** The request and the answer as they went over the line, without colours. */
export function Raw({ request, words }: { request: RecordedRequest; words: Words }) {
  const sent = useMemo(() => plainText(JSON.stringify(rawMessages(request), null, 2)), [request])
  const got = useMemo(() => plainText(request.error ? `${request.error}\n${request.output}` : request.output), [request])
  return (
    <div class="raw">
      <h2>{words.sent}</h2>
      <TextView request={sent} words={words} label={words.sent} plain />
      <h2>{words.output}</h2>
      <TextView request={got} words={words} label={words.output} plain />
    </div>
  )
}

function rawMessages({ messages }: RecordedRequest): unknown {
  return messages.map(({ role, spans, toolCalls, toolCallId }) => ({
    role,
    content: spans.map(({ text }) => text).join(""),
    toolCalls,
    toolCallId,
  }))
}

function plainText(text: string) {
  const span = { text, key: "", part: "frame", trust: "author", stability: "turn", tokens: 0 } as const
  return { messages: [{ role: "user", spans: [span] }], prefixes: [] } as const
}

/** The outcomes of background work for the turn. */
export function Receipts({ record, words, onReload }: TabProps & { readonly onReload: (() => void) | undefined }) {
  return (
    <div>
      {onReload && (
        <button type="button" onClick={onReload}>
          {words.reload}
        </button>
      )}
      <table>
        <thead>
          <tr>
            {[words.kind, words.outcome, words.attempt, words.duration, words.tokensShort, words.message].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {record.receipts.map(({ kind, outcome, attempt, durationMs, usage, message, value }) => (
            <tr key={kind} class={outcome === "ok" || outcome === "empty" || outcome === "skipped" ? "" : "failed"}>
              <th scope="row">{kind}</th>
              <td>{outcome}</td>
              <td class="number">{attempt}</td>
              <td class="number">{durationMs} ms</td>
              <td class="number">{(usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0) || ""}</td>
              <td>
                {message} {value && <code>{JSON.stringify(value)}</code>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The memories that the turn recalled with the signals of their scores, and a search for those that it did not. */
export function Memories({ record, words, search }: TabProps & { readonly search: boolean }) {
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
      {search && (
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
