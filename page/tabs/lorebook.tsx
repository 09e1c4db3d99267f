import type { TabProps } from "../tab.ts"
import { TableHead } from "../table-head.tsx"

/** The entries of lorebooks that the turn looked at: what entered by which key, and what kept the others out. */
export function Lorebook({ record, words }: TabProps) {
  const [first] = record.requests
  const tokens = new Map<string, number>()
  for (const { key, tokens: own } of first?.messages.flatMap(({ spans }) => spans) ?? [])
    tokens.set(key, (tokens.get(key) ?? 0) + own)
  const rows = [...(first?.lore ?? [])].sort((a, b) => Number(b.outcome === "in") - Number(a.outcome === "in"))
  return (
    <table>
      <TableHead names={[words.entry, words.outcome, words.byKey, words.foundIn, words.tokensShort]} />
      <tbody>
        {rows.map(({ book, entry, outcome, injection, always, key, where }, at) => (
          <tr key={at} class={outcome === "in" ? "" : "out"}>
            <th scope="row">
              {entry} <small>{book}</small>
            </th>
            <td>{words.loreOutcome(outcome)}</td>
            <td>{always ? words.always : key}</td>
            <td>{where === undefined ? "" : where === "lore" ? words.inLore : words.messageBack(where)}</td>
            <td class="number">{injection === undefined ? "" : (tokens.get(injection) ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
