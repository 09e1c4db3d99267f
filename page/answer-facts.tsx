import type { RecordedRequest, TurnRecord } from "../src/apps/server/inspector/turn-record.ts"
import type { Words } from "./words.ts"

interface AnswerFactsProps {
  readonly request: RecordedRequest
  readonly warnings: TurnRecord["warnings"]
  readonly words: Words
}

/** The facts that the provider told of an answer, and the links that were taken out of it. Nothing where there is nothing to tell. */
export function AnswerFacts({ request: { report = {}, usage }, warnings, words }: AnswerFactsProps) {
  const { model, serviceTier, citations = [] } = report
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    [words.servedBy, model],
    [words.serviceTier, serviceTier],
    [words.toldPrice, usage?.costUsd === undefined ? undefined : `${usage.costUsd} USD`],
  ]
  const told = facts.filter(([, value]) => value !== undefined)
  const removed = warnings.filter(({ kind }) => kind === "links")
  if (told.length + citations.length + removed.length === 0) return null
  return (
    <section class="answer-facts" aria-label={words.answerFacts}>
      {told.length > 0 && (
        <p>
          {told.map(([name, value]) => (
            <span key={name}>
              {name} <strong>{value}</strong>{" "}
            </span>
          ))}
        </p>
      )}
      {citations.length > 0 && (
        <details>
          <summary>{words.cites(citations.length)}</summary>
          <ol>
            {citations.map((address) => (
              <li key={address}>{address}</li>
            ))}
          </ol>
        </details>
      )}
      {removed.map(({ message }) => (
        <p key={message} class="removed">
          <strong>{words.linksRemoved}</strong> <span lang="en">{message}</span>
        </p>
      ))}
    </section>
  )
}
