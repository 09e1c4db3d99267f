import { useStored } from "../stored.ts"
import type { TabProps } from "../tab.ts"
import { TableHead } from "../table-head.tsx"

/** The outcomes of background work for the turn, and what of it is in the store. */
export function Receipts(props: TabProps) {
  const { record, words, isServed, onReload } = props
  return (
    <div>
      {isServed && (
        <button type="button" onClick={onReload}>
          {words.reload}
        </button>
      )}
      <table>
        <TableHead names={[words.kind, words.outcome, words.attempt, words.duration, words.tokensShort, words.message]} />
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
      {isServed && <Written {...props} />}
    </div>
  )
}

/** The memories and facts that were made of the turn. */
function Written({ record, words }: TabProps) {
  const { facts } = useStored(record.id, record)
  const memories = facts?.memories.filter(({ turnId }) => turnId === record.id) ?? []
  const statements = facts?.statements.filter(({ turnId }) => turnId === record.id) ?? []
  if (memories.length + statements.length === 0) return null
  return (
    <>
      <h2>{words.written}</h2>
      <ul>
        {memories.map(({ id, kind, speaker, text, importance }) => (
          <li key={id}>
            <small>{kind}</small> <strong>{speaker.name}</strong> {text.slice(0, 1_000)}{" "}
            {importance !== undefined && <small>{words.importance(String(importance))}</small>}
          </li>
        ))}
        {statements.map(({ name, value }) => (
          <li key={name}>
            <small>{words.user}</small> <strong>{name}</strong> {value}
          </li>
        ))}
      </ul>
    </>
  )
}
