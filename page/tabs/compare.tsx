import { useEffect, useState } from "preact/hooks"
import type { TurnComparison } from "../../src/apps/server/inspector/compare/compare-turns.ts"
import type { TurnSummary } from "../../src/apps/server/inspector/turn-record.ts"
import { AgentSides, bothUnchanged } from "../compare/agent-sides.tsx"
import { Sides } from "../compare/sides.tsx"
import { ask, type TurnPage } from "../data.ts"
import type { TabProps } from "../tab.ts"
import { cut } from "../turns.tsx"

/** The turns that the list offers; a search finds the others. */
const maxOffered = 100

/** This turn beside another one, or by other agents. */
export function Compare(props: TabProps) {
  const { record, info, words } = props
  const [isByAgents, setByAgents] = useState(false)
  const [agents, setAgents] = useState(bothUnchanged)
  if (!info.variants || record.wake !== undefined || record.durationMs === undefined) return <OtherTurn {...props} />
  return (
    <div class="compare">
      <fieldset class="modes">
        <legend>{words.compareWith}</legend>
        {[false, true].map((value) => (
          <label key={String(value)}>
            <input type="radio" name="compare-with" checked={isByAgents === value} onChange={() => setByAgents(value)} />{" "}
            {value ? words.otherAgents : words.otherTurn}
          </label>
        ))}
      </fieldset>
      {isByAgents ? (
        <AgentSides asked={{ turn: record.id }} {...{ agents, info, words }} onAgents={setAgents} />
      ) : (
        <OtherTurn {...props} />
      )}
    </div>
  )
}

function OtherTurn({ record, words }: TabProps) {
  const [search, setSearch] = useState("")
  const [turns, setTurns] = useState<readonly TurnSummary[]>()
  const [chosen, setChosen] = useState<string>()
  const [isSwapped, setSwapped] = useState(false)
  const [requests, setRequests] = useState({ own: 0, other: 0 })
  const [compared, setCompared] = useState<TurnComparison>()
  const [problem, setProblem] = useState("")
  const others = turns?.filter(({ id }) => id !== record.id)
  const other = others?.some(({ id }) => id === chosen) ? chosen : (earlier(record, others) ?? others?.[0])?.id
  useEffect(() => {
    let isLeft = false
    const timer = setTimeout(
      () =>
        ask<TurnPage>(`turns?${new URLSearchParams({ limit: String(maxOffered), search })}`).then(
          (found) => isLeft || setTurns(found.turns),
          (error: unknown) => isLeft || setProblem(wordsOf(error)),
        ),
      search === "" ? 0 : 200,
    )
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [search, record])
  useEffect(() => {
    if (other === undefined) return setCompared(undefined)
    let isLeft = false
    const [a, b] = isSwapped ? [record.id, other] : [other, record.id]
    const [requestA, requestB] = isSwapped ? [requests.own, requests.other] : [requests.other, requests.own]
    const query = { a, b, requestA: String(requestA), requestB: String(requestB) }
    ask<TurnComparison>(`compare?${new URLSearchParams(query)}`).then(
      (found) => {
        if (isLeft) return
        setCompared(found)
        setProblem("")
      },
      (error: unknown) => isLeft || setProblem(wordsOf(error)),
    )
    return () => {
      isLeft = true
    }
  }, [record, other, isSwapped, requests])
  const onRequest = (side: "a" | "b", index: number): void =>
    setRequests((side === "b") === isSwapped ? { ...requests, other: index } : { ...requests, own: index })
  return (
    <div>
      <div class="compare-tools">
        <label>
          {words.otherTurn}{" "}
          <select
            value={other}
            onChange={(event) => {
              setChosen(event.currentTarget.value)
              setRequests({ own: requests.own, other: 0 })
            }}
          >
            {others?.map((turn) => (
              <option key={turn.id} value={turn.id}>
                {nameOf(turn)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {words.findTurn} <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        </label>
        <button type="button" disabled={other === undefined} onClick={() => setSwapped(!isSwapped)}>
          {words.swapSides}
        </button>
      </div>
      {problem && <p role="alert">{problem}</p>}
      {others?.length === 0 && <p class="quiet">{search === "" ? words.noOther : words.noneFound}</p>}
      {compared && other !== undefined && <Sides compared={compared} words={words} onRequest={onRequest} />}
    </div>
  )
}

/** The turn before another one in its session. */
function earlier(
  { session, startedMs }: Pick<TurnSummary, "session" | "startedMs">,
  turns: readonly TurnSummary[] | undefined,
): TurnSummary | undefined {
  return turns?.find(
    (turn) =>
      turn.startedMs <= startedMs &&
      turn.session.conversation === session.conversation &&
      turn.session.audience === session.audience,
  )
}

function nameOf({ session, startedMs, wake, question }: TurnSummary): string {
  return `${new Date(startedMs).toLocaleTimeString()} · ${session.conversation} · ${cut(wake ?? question, 60)}`
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
