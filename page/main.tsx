import { render } from "preact"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import type { TurnRecord, TurnSummary } from "../src/apps/server/inspector/turn-record.ts"
import { Chat } from "./chat/chat.tsx"
import { Sprite } from "./chat/sprite.tsx"
import { useChat } from "./chat/use-chat.ts"
import { CompareAgents } from "./compare/compare-agents.tsx"
import { Conversations } from "./conversations.tsx"
import { ask, type Exported, exported, follow, type Info, type TurnPage } from "./data.ts"
import { TurnView } from "./turn.tsx"
import { type Filters, Turns } from "./turns.tsx"
import { type Words, wordsFor } from "./words.ts"

const noFilters: Filters = { conversation: "", state: "", search: "" }

/** The page that an inspector serves. */
function Served() {
  const [info, setInfo] = useState<Info>()
  const [list, setList] = useState<TurnPage>({ turns: [], more: false, conversations: [] })
  const [filters, setFilters] = useState(noFilters)
  const [picked, setPicked] = useState<string>()
  const [record, setRecord] = useState<TurnRecord>()
  const [isLost, setLost] = useState(false)
  const [locale, setLocale] = useState<string>()
  const [view, setView] = useState<View>("turns")
  // Until somebody picks a turn, the newest one is shown.
  const chosen = picked ?? list.turns[0]?.id
  const shown = useRef({ filters, chosen, record })
  shown.current = { filters, chosen, record }

  // Turns that changed since the list was asked for last: its answer may be older than they are.
  const changed = useRef<readonly TurnSummary[]>([])
  const loads = useRef({ asked: 0, shown: 0 })
  const stages = useRef(new Map<string, string>())
  const [news, setNews] = useState(0)

  const reload = useCallback(async () => {
    const asked = shown.current.filters
    changed.current = []
    const found = await ask<TurnPage>(`turns?${query(asked)}`).catch(() => undefined)
    if (found && shown.current.filters === asked) setList(merged(found, changed.current, asked))
  }, [])
  const load = useCallback(async (id: string | undefined) => {
    if (id === undefined) return
    const turn = ++loads.current.asked
    const found = await ask<TurnRecord>(`turns/${id}`).catch(() => undefined)
    if (shown.current.chosen !== id || turn < loads.current.shown) return
    // A turn that cannot be had now stays as it was shown last; another one does not stand in its place.
    if (!found && shown.current.record?.id === id) return
    loads.current.shown = turn
    setRecord(found)
  }, [])
  useEffect(() => {
    const take = (turns: readonly TurnSummary[], gone: readonly string[]): void => {
      changed.current = [...changed.current, ...turns]
      setList((known) => without(merged(known, turns, shown.current.filters), gone))
      if (gone.includes(shown.current.chosen ?? "")) setPicked(undefined)
      if (gone.includes(shown.current.record?.id ?? "")) setRecord(undefined)
      const moved = turns.filter((turn) => stages.current.get(turn.id) !== stageOf(turn))
      for (const turn of moved) stages.current.set(turn.id, stageOf(turn))
      if (moved.length + gone.length > 0) setNews((count) => count + 1)
      if (moved.some(({ id }) => id === shown.current.chosen)) void load(shown.current.chosen)
    }
    const open = (): void => {
      setLost(false)
      setNews((count) => count + 1)
      void ask<Info>("info").then(setInfo)
      void reload()
      void load(shown.current.chosen)
    }
    return follow({ onTurns: take, onOpen: open, onLost: () => setLost(true) })
  }, [reload, load])
  useEffect(() => void reload(), [filters, reload])
  useEffect(() => void load(chosen), [chosen, load])

  const shownLocale = locale ?? info?.locale ?? "en"
  const words = wordsFor(shownLocale)
  useLocale(shownLocale)
  const chat = useChat({
    ...{ canChat: info?.chat ?? false, locale: shownLocale, news },
    onSent: () => setPicked(undefined),
    onMoved: (id) => setPicked(list.turns.find((turn) => turn.id === id)?.id),
  })
  const more = async (): Promise<void> => {
    const last = list.turns.at(-1)
    const found = await ask<TurnPage>(`turns?${query(filters)}&before=${last?.id}`)
    setList({ ...found, turns: [...list.turns, ...found.turns] })
  }
  // The turn before stays until the chosen one has come, so that its tab stays open.
  const current = chosen === undefined ? undefined : record
  const live = list.turns.find(({ id }) => id === current?.id)
  return (
    <div class="page">
      <Top {...{ info, words, view }} onLocale={() => setLocale(words === wordsFor("en") ? "zh-CN" : "en")} onView={setView} />
      <Turns
        {...{ turns: list.turns, conversations: list.conversations, more: list.more, filters, chosen, isLost, words }}
        onFilter={setFilters}
        onChoose={(id) => {
          setPicked(id)
          setView("turns")
        }}
        onMore={more}
      >
        {info && <Sprite agent={info.agent} emotion={list.turns.find(({ id }) => id === chosen)?.emotion} words={words} />}
        {info?.chat && <Chat chat={chat} words={words} />}
      </Turns>
      {view === "conversations" ? (
        <Conversations words={words} locale={shownLocale} />
      ) : info && view === "agents" ? (
        <CompareAgents info={info} words={words} />
      ) : info && current ? (
        <TurnView
          record={live?.outcome.state === "running" ? { ...current, answer: live.answer, outcome: live.outcome } : current}
          {...{ info, words, news, chat }}
          isServed
          onReload={() => void load(chosen)}
        />
      ) : (
        <main class="turn-view">
          <p class="quiet">{list.turns.length === 0 ? words.none : words.choose}</p>
        </main>
      )}
    </div>
  )
}

/** Changes whenever a turn's record has more than the words of its answer. */
function stageOf({ id, calls, tools, jobs, outcome }: TurnSummary): string {
  return JSON.stringify([id, calls, tools, jobs, outcome])
}

function query({ conversation, state, search }: Filters): string {
  const given = Object.entries({ conversation, state, search }).filter(([, value]) => value !== "")
  return new URLSearchParams(given).toString()
}

/** The list with turns that changed or came, as far as the filters let them in. */
function merged(list: TurnPage, turns: readonly TurnSummary[], filters: Filters): TurnPage {
  const known = new Set(list.turns.map(({ id }) => id))
  const changed = new Map(turns.map((turn) => [turn.id, turn]))
  // A turn may have changed more than once.
  const came = [...changed.values()].filter((turn) => !known.has(turn.id) && isInState(turn, filters) && hasWords(turn, filters))
  const conversations = [...new Set([...list.conversations, ...turns.map(({ session }) => session.conversation)])]
  const stayed = list.turns.map((turn) => changed.get(turn.id) ?? turn).filter((turn) => isInState(turn, filters))
  return { ...list, conversations, turns: [...came.reverse(), ...stayed] }
}

function isInState({ outcome }: TurnSummary, { state }: Filters): boolean {
  return state === "" || outcome.state === state
}

function hasWords({ session, question, answer }: TurnSummary, { conversation, search }: Filters): boolean {
  if (conversation !== "" && session.conversation !== conversation) return false
  return `${question}\n${answer}`.toLowerCase().includes(search.toLowerCase())
}

function without(list: TurnPage, gone: readonly string[]): TurnPage {
  return gone.length === 0 ? list : { ...list, turns: list.turns.filter(({ id }) => !gone.includes(id)) }
}

/** The turns, or another view in their place. */
type View = "turns" | "conversations" | "agents"

interface TopProps {
  readonly info: Info | undefined
  readonly words: Words
  readonly onLocale: () => void
  readonly view?: View
  /** Undefined on a page that is saved: it shows one turn. */
  readonly onView?: (view: View) => void
}

function Top({ info, words, onLocale, view = "turns", onView }: TopProps) {
  const names = { conversations: words.keptConversations, agents: words.compareAgents } as const
  const others = (["conversations", "agents"] as const).filter((other) => other !== "agents" || info?.variants)
  return (
    <header class="top">
      <h1>
        {info?.colour && <span class="agent-colour" style={{ backgroundColor: info.colour }} />}
        {info?.agent ?? "promptstrata"} <small>{info?.profile}</small>
      </h1>
      {info && info.warnings?.length > 0 && (
        <details class="lost">
          <summary>
            {words.warnings} ({info.warnings.length})
          </summary>
          {info.warnings.map((warning) => (
            <p key={warning} lang="en">
              {warning}
            </p>
          ))}
        </details>
      )}
      {onView &&
        others.map((other) => (
          <button key={other} type="button" onClick={() => onView(view === other ? "turns" : other)}>
            {view === other ? words.backToTurns : names[other]}
          </button>
        ))}
      <button type="button" onClick={onLocale}>
        {words.language}
      </button>
      <button type="button" onClick={toggleTheme}>
        {words.theme}
      </button>
    </header>
  )
}

function toggleTheme(): void {
  const { dataset } = document.documentElement
  const isDark = dataset.theme ? dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches
  dataset.theme = isDark ? "light" : "dark"
}

function useLocale(locale: string): void {
  useEffect(() => {
    document.documentElement.lang = locale
  }, [locale])
}

/** One turn in a file. */
function Saved({ info, record }: Exported) {
  const [locale, setLocale] = useState(info.locale)
  const words = wordsFor(locale)
  useLocale(locale)
  return (
    <div class="page saved">
      <Top info={info} words={words} onLocale={() => setLocale(words === wordsFor("en") ? "zh-CN" : "en")} />
      <TurnView {...{ record, info, words }} news={0} isServed={false} onReload={() => undefined} />
    </div>
  )
}

const root = document.getElementById("app")
const file = exported()
if (root) render(file ? <Saved {...file} /> : <Served />, root)
