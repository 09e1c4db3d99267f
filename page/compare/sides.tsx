import type { ComparedTurn, TurnComparison } from "../../src/apps/server/inspector/compare/compare-turns.ts"
import { timeText } from "../amounts.ts"
import { colourOf } from "../layout.ts"
import { TableHead } from "../table-head.tsx"
import { cut } from "../turns.tsx"
import type { Words } from "../words.ts"
import { DiffView } from "./diff-view.tsx"

interface SidesProps {
  readonly compared: TurnComparison
  readonly words: Words
  /** Undefined if the requests cannot be chosen. */
  readonly onRequest?: ((side: "a" | "b", index: number) => void) | undefined
}

/** The most characters of an answer that are shown. */
const maxShown = 5_000

/** Two turns side by side: their words, their facts with the difference, and their requests line by line. */
export function Sides({ compared, words, onRequest }: SidesProps) {
  const { a, b, request } = compared
  return (
    <>
      <div class="sides answers">
        {([a, b] as const).map((turn, at) => (
          <section key={at} aria-label={at === 0 ? words.left : words.right}>
            <h2>{at === 0 ? words.left : words.right}</h2>
            <p>
              <strong>{turn.wake === undefined ? turn.speaker.name : words.woke}</strong>{" "}
              {cut(turn.wake ?? turn.question, maxShown)}
            </p>
            <p class={turn.outcome.state}>
              {turn.outcome.state === "failed" && `${turn.outcome.code}: ${turn.outcome.message} `}
              {cut(turn.answer, maxShown)}
            </p>
          </section>
        ))}
      </div>
      <Facts {...{ a, b, words }} />
      {onRequest && <Requests {...{ a, b, words, onRequest }} />}
      {request ? <RequestSides request={request} words={words} /> : <p class="quiet">{words.noRequest}</p>}
    </>
  )
}

interface Fact {
  readonly name: string
  readonly values: readonly (number | undefined)[]
  readonly shown: (value: number) => string
}

function Facts({ a, b, words }: { readonly a: ComparedTurn; readonly b: ComparedTurn; readonly words: Words }) {
  const turns = [a, b]
  // A preview has not called anything yet.
  const ran = <T,>(turn: ComparedTurn, value: T): T | undefined => (turn.outcome.state === "previewed" ? undefined : value)
  const plain = (value: number): string => value.toLocaleString()
  const facts: Fact[] = [
    { name: words.requestTokens, values: turns.map(({ requests, chosen }) => requests[chosen]?.tokens), shown: plain },
    { name: words.callsOfModel, values: turns.map((turn) => ran(turn, turn.calls)), shown: plain },
    { name: words.runsOfTools, values: turns.map((turn) => ran(turn, turn.tools)), shown: plain },
    { name: words.inputTokens, values: turns.map(({ usage }) => usage.inputTokens), shown: plain },
    { name: words.outputTokens, values: turns.map(({ usage }) => usage.outputTokens), shown: plain },
    { name: words.cacheShare, values: turns.map(cacheShare), shown: (value) => `${Math.round(100 * value)} %` },
    { name: words.money, values: turns.map(({ cost }) => cost), shown: (value) => value.toFixed(6) },
    {
      name: words.time,
      values: turns.map((turn) => ran(turn, turn.durationMs)),
      shown: timeText,
    },
  ]
  return (
    <table class="facts">
      <TableHead names={[words.fact, words.left, words.right, words.difference]} />
      <tbody>
        {a.requests.length > 0 && (
          <tr>
            <th scope="row">{words.model}</th>
            {turns.map(({ requests, chosen }, at) => (
              <td key={at}>{requests[chosen]?.model || "—"}</td>
            ))}
            <td />
          </tr>
        )}
        {facts
          .filter(({ values }) => values.some((value) => value !== undefined))
          .map(({ name, values: [left, right], shown }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{left === undefined ? "—" : shown(left)}</td>
              <td class="number">{right === undefined ? "—" : shown(right)}</td>
              <td class="number">{left === undefined || right === undefined ? "" : difference(right - left, shown)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

/** A number with its sign. */
export function difference(value: number, shown: (value: number) => string): string {
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${shown(Math.abs(value))}`
}

function cacheShare({ usage: { inputTokens, inputCacheReadTokens } }: ComparedTurn): number | undefined {
  return inputTokens && inputCacheReadTokens !== undefined ? inputCacheReadTokens / inputTokens : undefined
}

interface RequestsProps extends Required<Pick<SidesProps, "words">> {
  readonly a: ComparedTurn
  readonly b: ComparedTurn
  readonly onRequest: NonNullable<SidesProps["onRequest"]>
}

/** A list to choose the request of each side, where there are several. */
function Requests({ a, b, words, onRequest }: RequestsProps) {
  if (a.requests.length < 2 && b.requests.length < 2) return null
  return (
    <div class="sides pickers">
      {(["a", "b"] as const).map((side) => {
        const { requests, chosen } = side === "a" ? a : b
        return (
          <select
            key={side}
            aria-label={words.requestOf(side === "a" ? words.left : words.right)}
            value={chosen}
            onChange={(event) => onRequest(side, Number(event.currentTarget.value))}
          >
            {requests.map(({ path, step, prompt, tokens }, index) => (
              <option key={index} value={index}>
                {path}
                {step} · {prompt} · {tokens.toLocaleString()}
              </option>
            ))}
          </select>
        )
      })}
    </div>
  )
}

/** Two requests: where they part, line by line, and their layers. */
export function RequestSides({
  request,
  words,
}: {
  readonly request: NonNullable<TurnComparison["request"]>
  readonly words: Words
}) {
  const { layers, isCoarse } = request
  return (
    <div class="compared">
      <div class="request">
        <Parting request={request} words={words} />
        {isCoarse && <p>{words.coarse}</p>}
        <DiffView compared={request} words={words} />
      </div>
      <section class="layers" aria-label={words.layers}>
        <h2>{words.layers}</h2>
        <table>
          <TableHead names={[words.layer, words.left, words.right, words.difference]} />
          <tbody>
            {layers.map(({ key, a, b }) => (
              <tr key={key} class={a === b ? "" : "differs"}>
                <th scope="row">
                  <span class={`swatch c${colourOf(key)}`} /> {key || words.frame}
                </th>
                <td class="number">{a.toLocaleString()}</td>
                <td class="number">{b.toLocaleString()}</td>
                <td class="number">{difference(b - a, (value) => value.toLocaleString())}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  )
}

/** The place where the requests part, and the first stable beginning that a cache cannot serve. */
function Parting({ request, words }: { readonly request: NonNullable<TurnComparison["request"]>; readonly words: Words }) {
  const { change, changedPrefix, layers } = request
  if (change.outcome === "none") return <p role="status">{words.equalRequests}</p>
  const all = Math.max(
    1,
    layers.reduce((sum, { a }) => sum + a, 0),
  )
  const { cause, sharedTokens } = change
  return (
    <p>
      {words.shared(sharedTokens.toLocaleString(), `${Math.min(100, Math.round((100 * sharedTokens) / all))} %`)}{" "}
      {cause ? words.partAt(cause.key || words.frame, words.changes[cause.change]) : words.partAtCalls}{" "}
      {changedPrefix && words.changedPrefix(changedPrefix.stability, changedPrefix.tokens.toLocaleString())}
    </p>
  )
}
