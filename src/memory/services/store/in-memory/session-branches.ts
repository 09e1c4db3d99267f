import { isHeard } from "../../../../core/conversation.ts"
import { mayStay, movesBehind, renumbered, turnsOf, type WholeMessage, withoutMessages } from "../branches.ts"
import { type SessionCommit, type StoredTurn, sessionConflict } from "../session-store.ts"
import type { SessionRow } from "./session-table.ts"

/** The parts of a session that hold its messages. */
type Messages = Pick<SessionRow, "history" | "aside">

/** All messages of a session, in the order in which they were written. */
export function writtenOf({ history, aside }: Messages): readonly WholeMessage[] {
  const asideAt = new Map(aside.map((message) => [message.position, message]))
  const ofHistory = history.values()
  return Array.from({ length: history.length + aside.length }, (_, position) => {
    const found = asideAt.get(position)
    if (found !== undefined) return found
    const message = ofHistory.next().value as SessionRow["history"][number]
    return { position, turnId: message.turnId, follows: undefined, message }
  })
}

/** The inverse of {@link writtenOf}. Positions may have gaps. */
export function messagesOf(written: readonly WholeMessage[]): Messages {
  const all = renumbered(written)
  const history = all.filter(({ follows }) => follows === undefined).map(({ message }) => message)
  return { history, aside: all.filter(({ follows }) => follows !== undefined) }
}

/**
 * The session with its history ending where a commit asks, the commit with the heard words that are to stand behind its own, and whether
 * any message changed its place. Throws as {@link SessionCommit.after} says.
 */
export function rowBehind(row: SessionRow, commit: SessionCommit): readonly [SessionRow, SessionCommit, boolean] {
  if (commit.expectVersion !== row.version) throw sessionConflict(row.key, commit.expectVersion, row.version)
  const all = writtenOf(row)
  const moves = movesBehind(row.key, commit, all)
  const heard = mayStay(commit, moves.leaving).filter(({ message }) => isHeard(message))
  const places = new Set(heard.map(({ position }) => position))
  const written = places.size === 0 ? all : withoutMessages(all, ({ position }) => places.has(position))
  const { leaving, returning } = places.size === 0 ? moves : movesBehind(row.key, commit, written)
  const moved = new Map<number, number | undefined>(leaving.map(({ position, follows }) => [position, follows]))
  for (const { position } of returning) moved.set(position, undefined)
  const placed = written.map((message) =>
    moved.has(message.position) ? { ...message, follows: moved.get(message.position) } : message,
  )
  const append = [...commit.append, ...heard.map(({ message }) => message)]
  return [{ ...row, ...messagesOf(placed) }, { ...commit, append }, moves.leaving.length + moves.returning.length > 0]
}

/** The session's turns, as `branches` returns them. */
export function rowTurns(row: Messages): readonly StoredTurn[] {
  return turnsOf(writtenOf(row))
}
