import { type HistoryMessage, isHeard, isSpoken, type SessionKey } from "../../../../core/conversation.ts"
import { mayStay, movesBehind, type PlacedMessage, type WholeMessage, withoutMessages } from "../branches.ts"
import { turnGone } from "../records.ts"
import type { SessionCommit } from "../session-store.ts"
import { messageTables, sessionOf } from "./row-tables.ts"
import { inPages, lastPosition, type Rows } from "./rows.ts"

/** Locks a session's row until the transaction ends, and makes the row when it is missing. */
export function lockSession(rows: Rows, key: SessionKey) {
  const none = { version: 0, next_position: 0, spoken: 0, notes: 0 }
  return rows.lockOrMake("sessions", { ...sessionOf(key), ...none, whole_state: Object.freeze({}) })
}

/** Throws `aborted` unless the history has a message of the turn. The turn then stays until the transaction ends. */
export async function expectTurn(rows: Rows, key: SessionKey, turnId: string): Promise<void> {
  // Forgetting and setting aside lock the agent first.
  await rows.lockAgent(key.agent, "shared")
  // From the newest message back, because the turn is one of the last.
  const found = await rows.select("messages", { ...sessionOf(key), turn_id: turnId }, lastPosition)
  if (found.length === 0) throw turnGone(turnId)
}

/** The places of all messages of a session, in the order in which they were written. */
async function writtenMessages(rows: Rows, key: SessionKey): Promise<readonly PlacedMessage[]> {
  const history = await rows.select("messages", sessionOf(key), { columns: ["position", "turn_id"] })
  const aside = await rows.select("aside_messages", sessionOf(key), { columns: ["position", "turn_id", "follows"] })
  return [...history.map((row) => ({ ...row, follows: undefined })), ...aside]
    .map(({ turn_id, ...place }) => ({ ...place, turnId: turn_id }))
    .sort((a, b) => a.position - b.position)
}

/** All messages of a session with their words, in the order in which they were written. */
export async function wholeMessages(rows: Rows, key: SessionKey): Promise<readonly WholeMessage[]> {
  const bodies = new Map<number, HistoryMessage>()
  for (const table of messageTables)
    for (const { position, body } of await rows.select(table, sessionOf(key), { columns: ["position", "body"] }))
      bodies.set(position, body)
  return (await writtenMessages(rows, key)).flatMap((place) => {
    const message = bodies.get(place.position)
    return message === undefined ? [] : [{ ...place, message }]
  })
}

/**
 * Lets a session's history end where a commit asks. Returns the history's count of messages that are not blank, whether any message
 * changed its place, and the heard words that are to stand behind what the commit appends. Throws as {@link SessionCommit.after} says.
 */
export async function endBehind(
  rows: Rows,
  key: SessionKey,
  { commit, ...before }: { readonly commit: Pick<SessionCommit, "after" | "append" | "keepHeard">; readonly spoken: number },
) {
  const moves = movesBehind(key, commit, await writtenMessages(rows, key))
  const [first] = moves.leaving
  let { spoken } = before
  if (first !== undefined) {
    const own = { ...sessionOf(key), position: first.position }
    spoken = (await rows.select("messages", own, { columns: ["spoken"] }))[0]?.spoken ?? 0
  }
  const heard = await takeHeard(rows, key, mayStay(commit, moves.leaving))
  const { leaving, returning } = heard.length === 0 ? moves : movesBehind(key, commit, await writtenMessages(rows, key))
  for (const page of inPages(leaving)) await setAside(rows, key, page)
  for (const page of inPages(returning)) spoken = await takeIn(rows, key, page, spoken)
  return { spoken, hasMoved: moves.leaving.length + moves.returning.length > 0, heard }
}

const atPlaces = (key: SessionKey, places: readonly PlacedMessage[]) => {
  return { ...sessionOf(key), position: { in: places.map(({ position }) => position) } }
}

/** Deletes the heard words among messages that leave the history, and returns them in their order. */
async function takeHeard(rows: Rows, key: SessionKey, leaving: readonly PlacedMessage[]): Promise<readonly HistoryMessage[]> {
  const heard = new Map<number, HistoryMessage>()
  for (const page of inPages(leaving)) {
    const inOrder = { columns: ["position", "body"], order: ["position"] } as const
    for (const { position, body } of await rows.select("messages", atPlaces(key, page), inOrder))
      if (isHeard(body)) heard.set(position, body)
  }
  if (heard.size > 0) await linkWithout(rows, key, ({ position }) => heard.has(position))
  for (const page of inPages(heard.keys())) await rows.delete("messages", { ...sessionOf(key), position: { in: page } })
  return [...heard.values()]
}

/** Moves messages out of the history. */
async function setAside(rows: Rows, key: SessionKey, places: readonly (PlacedMessage & { readonly follows: number })[]) {
  const follows = new Map(places.map((place) => [place.position, place.follows]))
  const found = await rows.select("messages", atPlaces(key, places))
  const aside = found.map(({ spoken: _, ...row }) => ({ ...row, follows: follows.get(row.position) ?? -1 }))
  await rows.insert("aside_messages", aside)
  await rows.delete("messages", atPlaces(key, places))
}

/** Moves messages back into the history, of which `spoken` messages before them are not blank. Returns the count behind them. */
async function takeIn(rows: Rows, key: SessionKey, places: readonly PlacedMessage[], spoken: number): Promise<number> {
  const found = await rows.select("aside_messages", atPlaces(key, places), { order: ["position"] })
  let count = spoken
  const history = found.map(({ follows: _, ...row }) => {
    const before = count
    if (isSpoken(row.body)) count += 1
    return { ...row, spoken: before }
  })
  await rows.insert("messages", history)
  await rows.delete("aside_messages", atPlaces(key, places))
  return count
}

/** To be called before messages are deleted: those that are set aside behind them then follow what is left. */
export async function linkWithout(rows: Rows, key: SessionKey, isGone: (message: PlacedMessage) => boolean): Promise<void> {
  const written = await writtenMessages(rows, key)
  const before = new Map(written.map(({ position, follows }) => [position, follows]))
  for (const { position, follows } of withoutMessages(written, isGone))
    if (follows !== undefined && follows !== before.get(position))
      await rows.update("aside_messages", { ...sessionOf(key), position }, { follows })
}

/** Corrects the count of spoken messages before each message, and returns the session's total. */
export async function recountSpoken(rows: Rows, key: SessionKey): Promise<number> {
  const columns = ["position", "spoken", "body"] as const
  let spoken = 0
  for (const row of await rows.select("messages", sessionOf(key), { columns, order: ["position"] })) {
    const own = { ...sessionOf(key), position: row.position }
    if (row.spoken !== spoken) await rows.update("messages", own, { spoken })
    if (isSpoken(row.body)) spoken += 1
  }
  return spoken
}
