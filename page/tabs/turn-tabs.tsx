import { useMemo } from "preact/hooks"
import type { RecordedRequest } from "../../src/apps/server/inspector/turn-record.ts"
import { barsOf, courseMs } from "../bars.ts"
import type { TabProps } from "../tab.ts"
import { TextView } from "../text-view.tsx"

/** The course of a turn: recall and prestart, calls of the model, tools, the text, with their times. */
export function Waterfall({ record, words }: TabProps) {
  const duration = courseMs(record)
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
                <strong>{words.warning(kind)}</strong> <span lang="en">{message}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** The request and the answer as they went over the line, without colours. */
export function Raw({ request, words }: TabProps) {
  const sent = useMemo(() => plainText(request ? JSON.stringify(rawMessages(request), null, 2) : ""), [request])
  const got = useMemo(() => plainText([request?.error, request?.output].filter(Boolean).join("\n")), [request])
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
