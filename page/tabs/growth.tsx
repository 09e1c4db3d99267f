import type { GrowthStep } from "../../src/apps/server/inspector/turn-routes.ts"
import { colourOf, fateWord } from "../layout.ts"
import { useAsked } from "../stored.ts"
import type { TabProps } from "../tab.ts"
import { TableHead } from "../table-head.tsx"

interface Growing {
  readonly steps: readonly GrowthStep[]
  /** Older turns that are not shown. */
  readonly left: number
}

/** The first request of each turn of the conversation as a stacked bar: how the prompt grew, and what fell out when. */
export function Growth({ record, words, news }: TabProps) {
  const { found, problem } = useAsked<Growing>(`turns/${record.id}/growth`, news)
  if (problem) return <p role="alert">{problem}</p>
  if (!found) return null
  const most = Math.max(1, ...found.steps.map(({ tokens }) => tokens))
  return (
    <table class="growth">
      {found.left > 0 && <caption class="quiet">{words.olderLeft(found.left)}</caption>}
      <TableHead numbers={[1]} names={[words.question, words.tokensShort, words.layers, words.fellOut]} />
      <tbody>
        {found.steps.map(({ id, question, tokens, layers, cut }) => (
          <tr key={id} aria-current={id === record.id}>
            <th scope="row">{question}</th>
            <td class="number">{tokens.toLocaleString()}</td>
            <td class="lane">
              <div class="bar" style={{ width: `${(100 * tokens) / most}%` }}>
                {layers.map(({ key, tokens: own }) => (
                  <span
                    key={key}
                    class={`c${colourOf(key)}`}
                    style={{ width: `${(100 * own) / Math.max(1, tokens)}%` }}
                    title={`${key || words.frame} · ${own.toLocaleString()}`}
                  />
                ))}
              </div>
            </td>
            <td>{cut.map(({ key, fate }) => `${key} ${fateWord(fate, words)}`).join(", ")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
