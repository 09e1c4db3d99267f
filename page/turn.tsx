import { useEffect, useRef, useState } from "preact/hooks"
import type { RecordedChild, RecordedRequest, TurnRecord } from "../src/server/inspector/turn-record.ts"
import { ask, type Info } from "./data.ts"
import { type Changes, Layers } from "./layers.tsx"
import { Memories, Raw, Receipts, Waterfall } from "./tabs.tsx"
import { TextView } from "./text-view.tsx"
import { cut } from "./turns.tsx"
import type { Words } from "./words.ts"

/** A request with the words that name it. */
interface NamedRequest {
  readonly name: string
  readonly request: RecordedRequest
}

type Tab = "prompt" | "waterfall" | "raw" | "receipts" | "memories"

interface TurnProps {
  readonly record: TurnRecord
  readonly info: Info
  readonly words: Words
  /** False in a file that was exported: there is nobody to ask. */
  readonly isServed: boolean
  readonly onReload: () => void
}

/** The whole texts are in the request and in the raw answer. */
const maxShown = 5_000

/** A turn: its question and answer, its requests, and everything else that is known of it in tabs. */
export function TurnView({ record, info, words, isServed, onReload }: TurnProps) {
  const [tab, setTab] = useState<Tab>("prompt")
  const [chosen, setChosen] = useState(0)
  const requests = requestsOf(record, "")
  const { request } = requests[Math.min(chosen, requests.length - 1)] ?? {}
  useEffect(() => setChosen(0), [record.id])
  const tabs: readonly Tab[] = [
    "prompt",
    "waterfall",
    ...(request ? (["raw"] as const) : []),
    ...(record.receipts.length > 0 ? (["receipts"] as const) : []),
    ...(record.recalled.length > 0 || (isServed && info.memory) ? (["memories"] as const) : []),
  ]
  const shown = tabs.includes(tab) ? tab : "prompt"
  return (
    <main class="turn-view">
      <header class="summary">
        <p>
          <strong>{record.wake === undefined ? record.speaker.name : words.woke}</strong>{" "}
          {cut(record.wake ?? record.question, maxShown)}
        </p>
        <p class={record.outcome.state}>
          <strong>{info.agent}</strong>{" "}
          {record.outcome.state === "failed" ? `${record.outcome.code}: ${record.outcome.message} ` : ""}
          {cut(record.answer, maxShown)}
        </p>
        {isServed && (
          <a class="save" href={`api/turns/${record.id}/html`} download={`${record.id}.html`}>
            {words.saved}
          </a>
        )}
      </header>
      <div class="tab-line">
        <div class="tabs" role="tablist" onKeyDown={(event) => moveTab(event, tabs, shown, setTab)}>
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={shown === name}
              aria-controls="panel"
              tabIndex={shown === name ? 0 : -1}
              onClick={() => setTab(name)}
            >
              {words[name]}
            </button>
          ))}
        </div>
        {requests.length > 1 && (shown === "prompt" || shown === "raw") && (
          <select
            aria-label={words.request}
            value={Math.min(chosen, requests.length - 1)}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          >
            {requests.map(({ name }, at) => (
              <option key={name} value={at}>
                {name}
              </option>
            ))}
          </select>
        )}
      </div>
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${shown}`}>
        {shown === "prompt" && !request && <p class="quiet">{words.noRequest}</p>}
        {shown === "prompt" && request && (
          <Prompt
            key={`${record.id} ${chosen}`}
            {...{ record, request, words }}
            canPreview={isServed && request === record.requests[0]}
          />
        )}
        {shown === "waterfall" && <Waterfall record={record} words={words} />}
        {shown === "raw" && request && <Raw request={request} words={words} />}
        {shown === "receipts" && <Receipts record={record} words={words} onReload={isServed ? onReload : undefined} />}
        {shown === "memories" && <Memories key={record.id} record={record} words={words} search={isServed && info.memory} />}
      </div>
    </main>
  )
}

function moveTab(event: KeyboardEvent, tabs: readonly Tab[], shown: Tab, set: (tab: Tab) => void): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
  if (step === 0 || !(event.target instanceof HTMLButtonElement)) return
  const next = tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length]
  if (!next) return
  set(next)
  document.getElementById(`tab-${next}`)?.focus()
}

/** The requests of a turn and, behind them, those of its children. */
function requestsOf({ requests, children }: TurnRecord | RecordedChild, before: string): NamedRequest[] {
  const own = requests.map((request) => ({
    name: `${before}${request.step} · ${request.prompt} · ${request.tokens.toLocaleString()}`,
    request,
  }))
  return [...own, ...children.flatMap((child, at) => requestsOf(child, `${before}${child.name} ${at + 1} › `))]
}

interface PromptProps extends Pick<TurnProps, "record" | "words"> {
  readonly request: RecordedRequest
  readonly canPreview: boolean
}

/** In a preview the change is to what was sent, not to the request before. */
function previewWords(words: Words): Words {
  return { ...words, changed: words.differs, extended: words.differsAfter }
}

const unchanged: Changes = { budgetTokens: undefined, off: [] }

/** A request beside its layers. Changes of budget and layers show it as it would be. */
function Prompt({ record, request, words, canPreview }: PromptProps) {
  const [changes, setChanges] = useState(unchanged)
  const [preview, setPreview] = useState<RecordedRequest>()
  const [problem, setProblem] = useState("")
  const asked = useRef(0)
  useEffect(() => {
    const turn = ++asked.current
    if (changes === unchanged) return setPreview(undefined)
    const timer = setTimeout(async () => {
      try {
        const made = await ask<RecordedRequest>(`turns/${record.id}/preview`, changes)
        if (asked.current === turn) setPreview(made)
        setProblem("")
      } catch (error) {
        if (asked.current === turn) setProblem(error instanceof Error ? error.message : String(error))
      }
    }, 150)
    return () => clearTimeout(timer)
  }, [changes, record.id])
  const isPossible = canPreview && record.wake === undefined
  return (
    <div class="prompt">
      <div class="request">
        {preview && (
          <p class="preview" role="status">
            {words.preview} {preview.change?.outcome === "none" && words.same}{" "}
            <button type="button" onClick={() => setChanges(unchanged)}>
              {words.asSent}
            </button>
          </p>
        )}
        {problem && <p role="alert">{problem}</p>}
        <TextView request={preview ?? request} words={preview ? previewWords(words) : words} />
      </div>
      <Layers
        request={preview ?? request}
        sent={request}
        changes={changes}
        onChange={isPossible ? setChanges : undefined}
        words={words}
      />
    </div>
  )
}
