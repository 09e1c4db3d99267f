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
        <TableHead
          numbers={[2, 3, 4]}
          names={[words.kind, words.outcome, words.attempt, words.duration, words.tokensShort, words.message]}
        />
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
      <Jobs {...props} />
      {isServed && <Written {...props} />}
    </div>
  )
}

/** The background jobs for the turn that ran in this process, also one that runs now. */
function Jobs({ record: { jobs = [] }, words }: TabProps) {
  if (jobs.length === 0) return null
  return (
    <>
      <h2>{words.jobsHead}</h2>
      <table>
        <TableHead numbers={[2, 3]} names={[words.kind, words.state, words.attempt, words.duration, words.message]} />
        <tbody>
          {jobs.map(({ kind, state, attempt, startedMs, endedMs, scheduledMs, message }, at) => (
            <tr key={at} class={state === "failed" ? "failed" : ""}>
              <th scope="row">{kind}</th>
              <td>{words.jobs[state]}</td>
              <td class="number">{attempt}</td>
              <td class="number">{endedMs !== undefined && `${endedMs - startedMs} ms`}</td>
              <td>
                {scheduledMs !== undefined && words.scheduledFor(new Date(scheduledMs).toLocaleString())} {message}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
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
