import { useEffect, useRef, useState } from "preact/hooks"
import type { TurnRecord, TurnSummary } from "../../src/apps/server/inspector/turn-record.ts"
import { timeText } from "../amounts.ts"
import type { TurnPage } from "../data.ts"
import { ask } from "../data.ts"
import type { Words } from "../words.ts"
import { type Outcome, type Problem, sendTo } from "./client.ts"

interface ReplaysProps {
  readonly record: TurnRecord
  /** The edited texts by path; undefined if nothing is edited. */
  readonly files: Readonly<Record<string, string>> | undefined
  readonly words: Words
}

/** A turn with what became of it again. */
interface Played {
  readonly turn: Pick<TurnSummary, "id" | "question" | "answer" | "usage" | "cost" | "durationMs">
  readonly old: Outcome<TurnRecord> | undefined
  readonly edited: Outcome<TurnRecord> | undefined
}

const maxTurns = 5

/** Plays turns again with the old and the edited text, and shows both beside what was recorded. */
export function Replays({ record, files, words }: ReplaysProps) {
  const [played, setPlayed] = useState<readonly Played[]>([])
  const [problem, setProblem] = useState<Problem>()
  const running = useRef<AbortController>(undefined)
  const [isRunning, setRunning] = useState(false)
  useEffect(() => () => running.current?.abort(), [])
  const play = async (find: () => Promise<readonly Played["turn"][]>): Promise<void> => {
    running.current?.abort()
    const own = new AbortController()
    running.current = own
    setRunning(true)
    setPlayed([])
    setProblem(undefined)
    try {
      for (const turn of await find()) {
        const both = { turn, old: undefined, edited: undefined }
        setPlayed((known) => [...known, both])
        const put = (change: Partial<Played>): void =>
          setPlayed((known) => known.map((each) => (each.turn.id === turn.id ? { ...each, ...change } : each)))
        const again = (change: object) => sendTo<TurnRecord>(`turns/${turn.id}/replay`, { run: true, ...change }, own.signal)
        await Promise.all([
          again({}).then((old) => put({ old })),
          files && again({ change: { files } }).then((edited) => put({ edited })),
        ])
      }
    } catch (error) {
      if (!own.signal.aborted) setProblem({ message: error instanceof Error ? error.message : String(error) })
    }
    if (running.current === own) setRunning(false)
  }
  const conversation = async (): Promise<readonly TurnSummary[]> => {
    const query = new URLSearchParams({ conversation: record.session.conversation, state: "answered", limit: String(maxTurns) })
    const { turns } = await ask<TurnPage>(`turns?${query}`)
    return turns.filter(({ wake, session }) => wake === undefined && session.audience === record.session.audience).reverse()
  }
  return (
    <section class="replays" aria-label={words.replay}>
      <h2>{words.replay}</h2>
      <p class="quiet">{words.replayAbout}</p>
      <p class="buttons">
        <button type="button" disabled={isRunning} onClick={() => play(async () => [record])}>
          {words.replayTurn}
        </button>
        <button type="button" disabled={isRunning} onClick={() => play(conversation)}>
          {words.replayConversation}
        </button>
        {isRunning && (
          <button
            type="button"
            onClick={() => {
              running.current?.abort()
              setRunning(false)
            }}
          >
            {words.stop}
          </button>
        )}
      </p>
      {problem && <p role="alert">{problem.message}</p>}
      {played.map(({ turn, old, edited }) => (
        <article key={turn.id}>
          <p>
            <strong>{turn.question}</strong>
          </p>
          <div class="beside">
            <Answer name={words.recorded} of={{ ok: true, value: turn }} words={words} />
            <Answer name={words.oldText} of={old} words={words} />
            {files && <Answer name={words.newText} of={edited} words={words} />}
          </div>
        </article>
      ))}
    </section>
  )
}

interface AnswerProps {
  readonly name: string
  readonly of: Outcome<Played["turn"] & Partial<Pick<TurnRecord, "outcome">>> | undefined
  readonly words: Words
}

function Answer({ name, of, words }: AnswerProps) {
  return (
    <div class="answer-again">
      <h3>{name}</h3>
      {of === undefined ? (
        <p class="quiet" role="status">
          {words.asking}
        </p>
      ) : of.ok ? (
        <>
          <p>{of.value.outcome?.state === "failed" ? of.value.outcome.message : of.value.answer}</p>
          <small>{factsOf(of.value, words).join(" · ")}</small>
        </>
      ) : (
        <p role="alert">{of.problem.message}</p>
      )}
    </div>
  )
}

/** Tokens, the share from the cache, money and time. */
function factsOf({ usage, cost, durationMs }: Played["turn"], words: Words): string[] {
  const { inputTokens, outputTokens, inputCacheReadTokens } = usage
  return [
    ...(inputTokens === undefined ? [] : [words.tokens(inputTokens.toLocaleString())]),
    ...(outputTokens === undefined ? [] : [words.outTokens(outputTokens.toLocaleString())]),
    ...(inputTokens && inputCacheReadTokens !== undefined
      ? [words.cached(`${Math.round((100 * inputCacheReadTokens) / inputTokens)} %`)]
      : []),
    ...(cost === undefined ? [] : [words.costs(`$${cost.toPrecision(2)}`)]),
    ...(durationMs === undefined ? [] : [timeText(durationMs)]),
  ]
}
