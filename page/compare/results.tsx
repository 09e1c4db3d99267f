import { useEffect, useState } from "preact/hooks"
import type { ComparedTurn } from "../../src/apps/server/inspector/compare/compare-turns.ts"
import type { Verdict } from "../../src/apps/server/inspector/compare/judge.ts"
import { timeText } from "../amounts.ts"
import { TableHead } from "../table-head.tsx"
import { cut } from "../turns.tsx"
import type { Words } from "../words.ts"
import { type QuestionResult, type SideTotals, sentTokens, totalsOf } from "./question-file.ts"
import { difference } from "./sides.tsx"

interface ResultsProps {
  /** The name of the file of questions. */
  readonly name: string
  readonly results: readonly QuestionResult[]
  readonly words: Words
}

/** The rows that are shown; the file has all. */
const maxRows = 200

/** The sums of both sides, each question with both answers, and all of it as a file. */
export function Results({ name, results, words }: ResultsProps) {
  const totals = totalsOf(results)
  const sorted = [...results].sort((a, b) => a.line - b.line)
  const { score } = totals
  const file = name.replace(/\.[^.]*$/u, "")
  return (
    <>
      <table class="facts">
        <caption>{words.total}</caption>
        <TableHead names={[words.fact, words.left, words.right, words.difference]} />
        <tbody>
          {totalRows(words).map(({ name: fact, read, shown }) => {
            const [left, right] = [read(totals.a), read(totals.b)]
            const isKnown = left !== undefined && right !== undefined
            return (
              <tr key={fact}>
                <th scope="row">{fact}</th>
                <td class="number">{left === undefined ? "—" : shown(left)}</td>
                <td class="number">{right === undefined ? "—" : shown(right)}</td>
                <td class="number">{isKnown ? difference(right - left, shown) : ""}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {totals.a.unpriced + totals.b.unpriced > 0 && <p class="quiet">{words.unpriced(totals.a.unpriced + totals.b.unpriced)}</p>}
      {score && (
        <p>
          {words.scoreOf(percent(score.mean), percent(score.low), percent(score.high), score.judged)}{" "}
          {score.low > 0.5 ? words.rightIsBetter : score.high < 0.5 ? words.leftIsBetter : words.noneIsBetter}
        </p>
      )}
      <p>
        <Download
          name={`${file}.json`}
          text={() => JSON.stringify({ totals, results: sorted }, null, 2)}
          {...{ words, results }}
        />
      </p>
      <table class="questions">
        <TableHead names={[words.line, words.question, words.left, words.right, ...(score ? [words.score] : [])]} />
        <tbody>
          {sorted.slice(0, maxRows).map(({ line, question, a, b, verdict }) => (
            <tr key={line}>
              <th scope="row">{line}</th>
              <td>{cut(question)}</td>
              <Answer side={a} words={words} />
              <Answer side={b} words={words} />
              {score && <td>{verdictText(verdict, words)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > maxRows && <p class="quiet">{words.moreInFiles(sorted.length - maxRows)}</p>}
    </>
  )
}

interface TotalRow {
  readonly name: string
  readonly read: (side: SideTotals) => number | undefined
  readonly shown: (value: number) => string
}

function totalRows(words: Words): TotalRow[] {
  const plain = (value: number): string => value.toLocaleString()
  return [
    { name: words.answered, read: ({ answered }) => answered, shown: plain },
    { name: words.failed, read: ({ failed }) => failed, shown: plain },
    { name: words.callsOfModel, read: ({ calls }) => calls, shown: plain },
    { name: words.sentTokens, read: ({ sentTokens }) => sentTokens, shown: plain },
    { name: words.inputTokens, read: ({ inputTokens }) => inputTokens, shown: plain },
    { name: words.outputTokens, read: ({ outputTokens }) => outputTokens, shown: plain },
    {
      name: words.cacheShare,
      read: ({ cachedTokens, inputTokens }) =>
        inputTokens && cachedTokens !== undefined ? cachedTokens / inputTokens : undefined,
      shown: percent,
    },
    {
      name: words.money,
      read: ({ cost, unpriced, answered, failed }) => (unpriced < answered + failed ? cost : undefined),
      shown: (value) => value.toFixed(6),
    },
    { name: words.time, read: ({ durationMs }) => durationMs, shown: timeText },
  ]
}

function Answer({ side, words }: { readonly side: ComparedTurn; readonly words: Words }) {
  const { answer, outcome, calls, usage, cost, durationMs = 0 } = side
  const { inputTokens, inputCacheReadTokens, outputTokens } = usage
  const facts = [
    words.calls(calls),
    words.tokens(
      inputTokens === undefined
        ? sentTokens(side).toLocaleString()
        : `${inputTokens.toLocaleString()} → ${(outputTokens ?? 0).toLocaleString()}`,
    ),
    inputTokens && inputCacheReadTokens !== undefined && words.cached(percent(inputCacheReadTokens / inputTokens)),
    cost?.toFixed(6),
    timeText(durationMs),
  ]
  return (
    <td class={outcome.state}>
      {outcome.state === "failed" && `${outcome.code}: ${outcome.message} `}
      {cut(answer, 500)} <small>{facts.filter(Boolean).join(" · ")}</small>
    </td>
  )
}

function verdictText(verdict: Verdict | undefined, words: Words): string {
  if (!verdict) return "—"
  return "problem" in verdict
    ? verdict.problem
    : `${percent(verdict.score)} (${words.firstShown(verdict.first === "a" ? words.left : words.right)})`
}

function percent(value: number): string {
  return `${Math.round(100 * value)} %`
}

interface DownloadProps {
  readonly name: string
  readonly text: () => string
  readonly results: readonly QuestionResult[]
  readonly words: Words
}

/** A file of JSON that is made when somebody asks for it. */
function Download({ name, text, results, words }: DownloadProps) {
  const [url, setUrl] = useState<string>()
  useEffect(() => setUrl(undefined), [results])
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  return (
    <button
      type="button"
      onClick={() => {
        const made = URL.createObjectURL(new Blob([text()], { type: "application/json" }))
        setUrl(made)
        const link = document.createElement("a")
        link.href = made
        link.download = name
        link.click()
      }}
    >
      {words.saveAs(name)}
    </button>
  )
}
