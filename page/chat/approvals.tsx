import { useState } from "preact/hooks"
import type { WaitingCall as Waiting } from "../../src/apps/server/inspector/chat-routes.ts"
import type { Words } from "../words.ts"
import type { ChatState } from "./use-chat.ts"

interface ApprovalsProps {
  readonly label: string
  readonly waiting: readonly Waiting[]
  /** Codes of the calls whose answer is on its way. */
  readonly answering: ReadonlySet<string>
  /** Answers a call that waits. Undefined if the page may not. */
  readonly answer: ChatState["answer"] | undefined
  readonly words: Words
}

/** The calls that wait for an answer, with what they would be run with. */
export function Approvals({ label, waiting, ...more }: ApprovalsProps) {
  const { words } = more
  const open = waiting.filter(({ isOver }) => !isOver)
  return (
    <section class="waiting" aria-label={label}>
      <p role="status">{open.length > 0 && words.waitingCalls(open.map(({ tool }) => tool))}</p>
      {waiting.map((approval) => (
        <WaitingCall key={approval.id} approval={approval} {...more} />
      ))}
    </section>
  )
}

function WaitingCall({
  approval,
  answering,
  answer,
  words,
}: Omit<ApprovalsProps, "label" | "waiting"> & { readonly approval: Waiting }) {
  const [reason, setReason] = useState("")
  const { code, tool, mayAnswer, untilMs, args, isOver } = approval
  const isBusy = answering.has(code)
  return (
    <article class="waiting-call" aria-label={tool}>
      <h2>{tool}</h2>
      <p id={`question-${code}`}>
        {isOver ? words.waitedTooLong : words.mayI(mayAnswer.name, new Date(untilMs).toLocaleString())}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with keys */}
      <section class="args" tabIndex={0} aria-label={words.withArgs}>
        <pre>{argsText(args, words)}</pre>
      </section>
      {!isOver && !answer && <p>{words.answerThere}</p>}
      {!isOver && answer && (
        <>
          <input
            aria-label={words.whyNotRun}
            placeholder={words.whyNotRun}
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
          <div class="buttons">
            {[true, false].map((approved) => (
              <button
                key={String(approved)}
                type="button"
                aria-describedby={`question-${code}`}
                aria-disabled={isBusy}
                onClick={() => void answer(code, approved, reason)}
              >
                {approved ? words.allow : words.deny}
              </button>
            ))}
            {isBusy && <small>{words.goesOn}</small>}
          </div>
        </>
      )}
    </article>
  )
}

const maxShown = 20_000

/** Signs that are not seen, or that turn text round: arguments must not look like others. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/** Arguments for a person who decides about them: each sign is seen, and what is left out is counted. */
function argsText(args: Waiting["args"], words: Pick<Words, "moreCharacters">): string {
  const text = JSON.stringify(args, null, 2)
  const shown = text.slice(0, maxShown).toWellFormed()
  const left = text.length - shown.length
  const seen = shown.replace(unseen, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return left > 0 ? `${seen}\n${words.moreCharacters(left)}` : seen
}
