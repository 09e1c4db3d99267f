import type { ComponentChildren } from "preact"
import type { TurnSummary } from "../src/apps/server/inspector/turn-record.ts"
import { moneyText, timeText } from "./amounts.ts"
import type { Words } from "./words.ts"

/** The filters of the list. */
export interface Filters {
  readonly conversation: string
  readonly state: string
  readonly search: string
}

interface TurnsProps {
  readonly turns: readonly TurnSummary[]
  readonly conversations: readonly string[]
  readonly more: boolean
  readonly filters: Filters
  readonly chosen: string | undefined
  readonly isLost: boolean
  /** A place to talk. */
  readonly children: ComponentChildren
  readonly words: Words
  readonly onFilter: (filters: Filters) => void
  readonly onChoose: (id: string) => void
  readonly onMore: () => void
}

/** The turns, the newest first, with filters, and a place to talk. */
export function Turns(props: TurnsProps) {
  const { turns, conversations, more, filters, chosen, isLost, children, words, onFilter, onChoose, onMore } = props
  const isFiltered = filters.conversation !== "" || filters.state !== "" || filters.search !== ""
  return (
    <nav class="turns" aria-label={words.turns}>
      <p class={isLost ? "lost" : "live"} role="status">
        {isLost ? words.lost : words.live}
      </p>
      {children}
      <div class="filters">
        <select
          aria-label={words.conversation}
          value={filters.conversation}
          onChange={(event) => onFilter({ ...filters, conversation: event.currentTarget.value })}
        >
          <option value="">{words.allConversations}</option>
          {conversations.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label={words.state}
          value={filters.state}
          onChange={(event) => onFilter({ ...filters, state: event.currentTarget.value })}
        >
          <option value="">{words.allStates}</option>
          {(["running", "answered", "failed"] as const).map((state) => (
            <option key={state} value={state}>
              {words[state]}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={filters.search}
          onInput={(event) => onFilter({ ...filters, search: event.currentTarget.value })}
        />
      </div>
      {turns.length === 0 && isFiltered && <p class="quiet">{words.noneFits}</p>}
      <ul>
        {turns.map((turn) => (
          <li key={turn.id}>
            <TurnCard turn={turn} isChosen={turn.id === chosen} words={words} onChoose={onChoose} />
          </li>
        ))}
      </ul>
      {more && (
        <button type="button" onClick={onMore}>
          {words.more}
        </button>
      )}
    </nav>
  )
}

interface CardProps extends Pick<TurnsProps, "words" | "onChoose"> {
  readonly turn: TurnSummary
  readonly isChosen: boolean
}

function TurnCard({ turn, isChosen, words, onChoose }: CardProps) {
  const { id, speaker, question, wake, answer, outcome, session, startedMs } = turn
  return (
    <button type="button" class={`turn ${outcome.state}`} aria-current={isChosen} onClick={() => onChoose(id)}>
      <small>
        {session.conversation} · {new Date(startedMs).toLocaleTimeString()} · {stateText(outcome, words)}
      </small>
      <span class="question">
        <strong>{wake === undefined ? speaker.name : words.woke}</strong> {cut(wake ?? question)}
      </span>
      <span class="answer">{outcome.state === "failed" ? `${outcome.code}: ${cut(outcome.message)}` : cut(answer)}</span>
      <small>{factsOf(turn, words)}</small>
    </button>
  )
}

function stateText(outcome: TurnSummary["outcome"], words: Words): string {
  if (outcome.state === "running") return `${words.running} ${outcome.doing}`
  return waitsForPerson({ outcome }) ? words.waitingTurn : words[outcome.state]
}

/** True for a turn in which a call waits for an approval. */
export function waitsForPerson({ outcome }: Pick<TurnSummary, "outcome">): boolean {
  return outcome.state === "answered" && outcome.stopReason === "awaiting-approval"
}

/** Tokens, cache, money and time of a turn, as far as they are known. */
function factsOf({ calls, tools, jobs = 0, usage, cost, durationMs }: TurnSummary, words: Words): string {
  const { inputTokens, inputCacheReadTokens, outputTokens } = usage
  const facts = [words.calls(calls)]
  if (tools > 0) facts.push(words.tools(tools))
  if (inputTokens !== undefined)
    facts.push(words.tokens(`${inputTokens.toLocaleString()} → ${(outputTokens ?? 0).toLocaleString()}`))
  if (inputCacheReadTokens !== undefined && inputTokens)
    facts.push(words.cached(`${Math.round((100 * inputCacheReadTokens) / inputTokens)} %`))
  if (cost !== undefined) facts.push(moneyText(cost))
  if (durationMs !== undefined) facts.push(timeText(durationMs))
  if (jobs > 0) facts.push(words.jobsRun(jobs))
  return facts.join(" · ")
}

/** The beginning of a text: a browser takes minutes to lay out a million characters. */
export function cut(text: string, units = 300): string {
  return text.length > units ? `${text.slice(0, units).toWellFormed()}…` : text
}
