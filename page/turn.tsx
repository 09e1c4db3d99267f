import { useEffect, useRef, useState } from "preact/hooks"
import type { RecordedChild, RecordedRequest, TurnRecord } from "../src/apps/server/inspector/turn-record.ts"
import { missingMoney } from "./amounts.ts"
import { SecondThoughts } from "./chat/second-thoughts.tsx"
import type { ChatState } from "./chat/use-chat.ts"
import { open } from "./edit/client.ts"
import type { Tab, TabProps } from "./tab.ts"
import { allTabs } from "./tabs/all-tabs.ts"
import { cut, waitsForPerson } from "./turns.tsx"

/** A request with the words that name it. */
interface NamedRequest {
  readonly name: string
  readonly request: RecordedRequest
}

/** The whole texts are in the request and in the raw answer. */
const maxShown = 5_000

/** A turn: its question and answer, its requests, and everything else that is known of it in tabs. */
export function TurnView(given: Omit<TabProps, "request" | "onEdit"> & { readonly chat?: ChatState }) {
  const { record, words } = given
  const [tab, setTab] = useState("")
  const [chosen, setChosen] = useState<number>()
  const requests = requestsOf(record, "")
  // Until somebody chooses one, the newest request of a turn that runs is shown, and goes on being shown.
  const newest = useRef(0)
  if (record.outcome.state === "running") newest.current = record.requests.length - 1
  const at = Math.max(0, Math.min(chosen ?? newest.current, requests.length - 1))
  const onEdit = (path: string, line: number | undefined): void => {
    Object.assign(open, { path, line })
    setTab("edit")
  }
  const canEdit = given.isServed && given.info.edits
  const props: TabProps = { ...given, request: requests[at]?.request, onEdit: canEdit ? onEdit : undefined }
  useEffect(() => {
    setChosen(undefined)
    newest.current = 0
  }, [record.id])
  const tabs = allTabs.filter(({ isShown }) => isShown?.(props) ?? true)
  const shown = tabs.find(({ id }) => id === tab) ?? tabs[0]
  if (!shown) return null
  return (
    <main class="turn-view">
      <Summary {...given} />
      <div class="tab-line">
        <div class="tabs" role="tablist" onKeyDown={(event) => moveTab(event, tabs, shown, setTab)}>
          {tabs.map(({ id, name }) => (
            <button
              key={id}
              type="button"
              role="tab"
              id={`tab-${id}`}
              aria-selected={shown.id === id}
              aria-controls="panel"
              tabIndex={shown.id === id ? 0 : -1}
              onClick={() => setTab(id)}
            >
              {name(words)}
            </button>
          ))}
        </div>
        {requests.length > 1 && shown.ofRequest && (
          <select aria-label={words.request} value={at} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {requests.map(({ name }, index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${shown.id}`}>
        <shown.View key={`${shown.id} ${record.id} ${shown.ofRequest ? at : ""}`} {...props} />
      </div>
    </main>
  )
}

interface SummaryProps extends Pick<TabProps, "record" | "info" | "words" | "isServed"> {
  /** Absent where nobody may chat. */
  readonly chat?: ChatState
}

/** The words of a turn. */
function Summary({ record, info, words, isServed, chat }: SummaryProps) {
  const missing = missingMoney(record, words)
  return (
    <header class="summary">
      <p>
        <strong>{record.wake === undefined ? record.speaker.name : words.woke}</strong>{" "}
        {cut(record.wake ?? record.question, maxShown)}
      </p>
      <p class={record.outcome.state}>
        <strong>{info.agent}</strong> {waitsForPerson(record) && <em>{words.waitingTurn}</em>}
        {record.outcome.state === "failed" ? `${record.outcome.code}: ${record.outcome.message} ` : ""}
        {cut(record.answer, maxShown)}
      </p>
      {chat && record.outcome.state !== "running" && <SecondThoughts {...{ chat, turnId: record.id, words }} />}
      {isServed && missing && <p class="quiet">{missing}</p>}
      {isServed && (
        <a class="save" href={`api/turns/${record.id}/html`} download={`${record.id}.html`}>
          {words.saved}
        </a>
      )}
    </header>
  )
}

function moveTab(event: KeyboardEvent, tabs: readonly Tab[], shown: Tab, set: (id: string) => void): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
  if (step === 0 || !(event.target instanceof HTMLButtonElement)) return
  const next = tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length]
  if (!next) return
  set(next.id)
  document.getElementById(`tab-${next.id}`)?.focus()
}

/** The requests of a turn and, behind them, those of its children. */
function requestsOf({ requests, children }: TurnRecord | RecordedChild, before: string): NamedRequest[] {
  const own = requests.map((request) => ({
    name: `${before}${request.step} · ${request.prompt} · ${request.tokens.toLocaleString()}`,
    request,
  }))
  return [...own, ...children.flatMap((child, at) => requestsOf(child, `${before}${child.name} ${at + 1} › `))]
}
