import { useStored } from "../stored.ts"
import type { TabProps } from "../tab.ts"
import { TableHead } from "../table-head.tsx"

/** Everything that the turn's user said of themselves, the newest first: the first of a name holds, and the others are its history. */
export function User({ record, words }: TabProps) {
  const { facts, problem } = useStored(record.id, record)
  if (problem) return <p role="alert">{problem}</p>
  if (!facts) return null
  if (facts.statements.length === 0) return <p class="quiet">{words.nothingStored}</p>
  const seen = new Set<string>()
  const rows = facts.statements.toReversed().map((statement) => {
    const isOld = seen.has(statement.name)
    seen.add(statement.name)
    return { ...statement, isOld }
  })
  return (
    <table>
      <TableHead names={[words.fact, words.value, words.confidence, words.since, words.conversation]} />
      <tbody>
        {rows.map(({ name, value, confidence, atMs, turnId, conversation, isOld }) => (
          <tr key={`${turnId} ${name}`} class={isOld ? "dropped" : ""}>
            <th scope="row">{name}</th>
            <td>
              {value} {turnId === record.id && <small>{words.fromThisTurn}</small>}
            </td>
            <td class="number">{Math.round(confidence * 100)} %</td>
            <td>{new Date(atMs).toLocaleString()}</td>
            <td>{conversation}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
