import { useEffect, useState } from "preact/hooks"
import type { WaitingCalls } from "../src/apps/server/inspector/api.ts"
import type { ShownConversation, ShownMessage } from "../src/apps/server/inspector/stored-routes.ts"
import { Approvals } from "./chat/approvals.tsx"
import { Reminders } from "./chat/reminders.tsx"
import { ask } from "./data.ts"
import { cut } from "./turns.tsx"
import type { Words } from "./words.ts"

/** Between two looks at the store, which another process may write to. */
const pauseMs = 2_000

/** Asks for something now and then as long as it is shown. What was had last stays if an answer fails, which `error` tells. */
function useLatest<T>(path: string | undefined): { readonly found: T | undefined; readonly error: string | undefined } {
  const [latest, setLatest] = useState<{ readonly path: string; readonly found?: T; readonly error?: string }>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isShown = path !== undefined
    const look = async (): Promise<void> => {
      if (path === undefined) return
      const next = await ask<T>(path).then(
        (found) => ({ found }),
        (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
      )
      if (!isShown) return
      setLatest((known) => ({ ...(known?.path === path && known.found ? { found: known.found } : {}), ...next, path }))
      timer = setTimeout(look, pauseMs)
    }
    void look()
    return () => {
      isShown = false
      clearTimeout(timer)
    }
  }, [path])
  const isCurrent = latest?.path === path
  return { found: isCurrent ? latest?.found : undefined, error: isCurrent ? latest?.error : undefined }
}

interface WaitingProps {
  readonly conversation: string
  readonly locale: string
  readonly words: Words
}

/** The calls that wait in a conversation. An answer stays on its way until the bot has taken it. */
function Waiting({ conversation, locale, words }: WaitingProps) {
  const [answering, setAnswering] = useState<ReadonlySet<string>>(new Set())
  const [problem, setProblem] = useState<string>()
  const path = `conversations/${conversation}/approvals`
  const { found, error } = useLatest<WaitingCalls>(`${path}?locale=${locale}`)
  const answer = async (code: string, approved: boolean, reason: string): Promise<void> => {
    if (answering.has(code)) return
    setProblem(undefined)
    setAnswering((codes) => new Set([...codes, code]))
    await ask(`${path}/${code}`, { approved, reason: reason.trim() || undefined, locale }).catch((thrown: unknown) => {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown))
      setAnswering((codes) => new Set([...codes].filter((one) => one !== code)))
    })
  }
  return (
    <>
      {(problem ?? error) !== undefined && <p role="alert">{problem ?? error}</p>}
      <Approvals
        {...{ answering, words }}
        label={words.waitingThere}
        waiting={found?.approvals ?? []}
        answer={found?.mayAnswer === true ? answer : undefined}
      />
      <Reminders reminders={found?.reminders ?? []} words={words} />
    </>
  )
}

interface ConversationsProps {
  readonly locale: string
  readonly words: Words
}

/** The conversations of the store as they go on, also those of a bot in another process. */
export function Conversations({ locale, words }: ConversationsProps) {
  const [picked, setPicked] = useState<string>()
  const { found: all, error } = useLatest<readonly ShownConversation[]>("conversations")
  const chosen = all?.find(({ id }) => id === picked) ?? all?.[0]
  const { found: messages, error: missing } = useLatest<readonly ShownMessage[]>(chosen && `conversations/${chosen.id}`)
  return (
    <main class="turn-view">
      <div class="panel conversations">
        <h2>{words.keptConversations}</h2>
        {(error ?? missing) !== undefined && <p role="alert">{error ?? missing}</p>}
        {all?.length === 0 && <p class="quiet">{words.noConversations}</p>}
        <div class="conversation-sides">
          <ul aria-label={words.keptConversations}>
            {all?.map((one) => (
              <li key={one.id}>
                <button type="button" class="turn" aria-current={one.id === chosen?.id} onClick={() => setPicked(one.id)}>
                  <small>
                    {one.conversation}
                    {one.audience === "group" && ` · ${words.groupTalk}`} · {new Date(one.newest.atMs).toLocaleString()}
                  </small>
                  <span class="answer">
                    <strong>{one.newest.speaker}</strong> {cut(one.newest.text, 120)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {chosen && (
            <div>
              <Waiting key={chosen.id} conversation={chosen.id} {...{ locale, words }} />
              <ol aria-label={chosen.conversation} aria-live="polite">
                {messages?.map((message, at) => (
                  <li key={`${message.atMs} ${at}`} class={message.role}>
                    <small>
                      <strong>{message.speaker}</strong> {new Date(message.atMs).toLocaleString()}
                      {message.files > 0 && ` · ${words.filesSent(message.files)}`}
                    </small>
                    <p>{cut(message.text, 20_000)}</p>
                  </li>
                ))}
              </ol>
            </div>
          )}
        </div>
      </div>
    </main>
  )
}
