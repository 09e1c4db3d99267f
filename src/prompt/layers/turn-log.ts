import { listOf, recordOf } from "../../core/json-access.ts"

/** The states that a hook had around the last turns of a session, so that it can go back to them with the history. Plain JSON. */
export interface StateLog {
  /** The state before each of the last turns that changed it, oldest first. */
  readonly before: readonly { readonly turnId: string; readonly memory: unknown }[]
  /** The states before and after turns that were set aside, for when they come back. */
  readonly aside: readonly { readonly turnId: string; readonly memory: unknown; readonly after: unknown }[]
}

/** The most turns whose states are kept, of the history and beside it. */
const maxTurns = 50

/** Reads the log in what a session kept. Parts that are malformed count as absent. */
export function turnLog(kept: unknown): StateLog {
  const { before, aside } = recordOf(kept)
  return {
    before: listOf(before).flatMap((item) => {
      const { turnId, memory } = recordOf(item)
      return typeof turnId === "string" ? [{ turnId, memory }] : []
    }),
    aside: listOf(aside).flatMap((item) => {
      const { turnId, memory, after } = recordOf(item)
      return typeof turnId === "string" ? [{ turnId, memory, after }] : []
    }),
  }
}

/** The log after a turn that found this state. */
export function withTurn({ before, aside }: StateLog, turnId: string, memory: unknown): StateLog {
  return { before: [...before, { turnId, memory }].slice(-maxTurns), aside }
}

/** Turns that leave the end of the history, and turns that come there. */
export interface BranchChange {
  readonly gone: ReadonlySet<string>
  /** Oldest first. */
  readonly back: readonly string[]
}

/** The state at the end of another branch, and the log there. Turns of which the log does not know change nothing. */
export function onBranch(state: unknown, log: StateLog, { gone, back }: BranchChange): { state: unknown; log: StateLog } {
  const at = log.before.findIndex(({ turnId }) => gone.has(turnId))
  const left = at < 0 ? [] : log.before.slice(at)
  const kept = left.map((turn, place) => ({ ...turn, after: left[place + 1] === undefined ? state : left[place + 1]?.memory }))
  const start = { state: left[0] === undefined ? state : left[0].memory, before: log.before.slice(0, at < 0 ? undefined : at) }
  const aside = [...log.aside, ...kept]
  const end = back.reduce((now, id) => {
    const found = aside.findLast(({ turnId }) => turnId === id)
    if (found === undefined) return now
    const { turnId, memory, after } = found
    return { state: after, before: [...now.before, { turnId, memory }] }
  }, start)
  const others = aside.filter(({ turnId }) => !back.includes(turnId))
  return { state: end.state, log: { before: end.before.slice(-maxTurns), aside: others.slice(-maxTurns) } }
}
