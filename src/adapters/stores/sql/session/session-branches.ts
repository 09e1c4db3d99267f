import { type HistoryMessage, isHeard, isSpoken, type SessionKey } from "../../../../core/conversation.ts"
import {
  mayStay,
  movesBehind,
  type WholeMessage,
  type WrittenMessage,
  withoutMessages,
} from "../../../../memory/services/store/branches.ts"
import { freezeParsed } from "../../../../memory/services/store/frozen-json.ts"
import type { SessionCommit } from "../../../../memory/services/store/session-store.ts"
import { fromKeyText, inSession } from "../key-columns.ts"
import type { Queries } from "../sql-tables.ts"
import { readMessage } from "./read-session.ts"

/** The columns that `messages` and `aside_messages` both have. */
const sharedColumns = [
  ...(["agent", "conversation", "audience", "position", "turn_id"] as const),
  ...(["role", "speaker_id", "speaker_name", "at_ms", "body"] as const),
] as const

/** Rows that change tables in one statement. */
const pageRows = 100

/** The places of all messages of a session, in the order in which they were written. */
async function writtenMessages(db: Queries, key: SessionKey): Promise<readonly WrittenMessage[]> {
  const history = await db.selectFrom("messages").select(["position", "turn_id"]).where(inSession(key)).execute()
  const aside = await db.selectFrom("aside_messages").select(["position", "turn_id", "follows"]).where(inSession(key)).execute()
  return [...history.map((row) => ({ ...row, follows: undefined })), ...aside]
    .map(({ turn_id, ...place }) => ({ ...place, turnId: fromKeyText(turn_id) }))
    .sort((a, b) => a.position - b.position)
}

/** All messages of a session with their words, frozen, in the order in which they were written. */
export async function wholeMessages(db: Queries, key: SessionKey): Promise<readonly WholeMessage[]> {
  const found: WholeMessage[] = []
  for (const table of ["messages", "aside_messages"] as const) {
    const bodies = await db.selectFrom(table).select(["position", "body"]).where(inSession(key)).execute()
    const messages = new Map(bodies.map((row) => [row.position, freezeParsed(readMessage(key, row, table))]))
    for (const place of await writtenMessages(db, key)) {
      const message = messages.get(place.position)
      if (message !== undefined) found.push({ ...place, message })
    }
  }
  return found.sort((a, b) => a.position - b.position)
}

/**
 * Lets a session's history end where a commit asks. Returns the history's count of messages that are not blank, whether any message
 * changed its place, and the heard words that are to stand behind what the commit appends. Throws as {@link SessionCommit.after} says.
 */
export async function endBehind(
  db: Queries,
  key: SessionKey,
  { commit, spoken }: { readonly commit: Pick<SessionCommit, "after" | "append" | "keepHeard">; readonly spoken: number },
) {
  const moves = movesBehind(key, commit, await writtenMessages(db, key))
  const [first] = moves.leaving
  let count = spoken
  if (first !== undefined) {
    const row = db.selectFrom("messages").select("spoken").where(inSession(key)).where("position", "=", first.position)
    count = (await row.executeTakeFirstOrThrow()).spoken
  }
  const heard = await takeHeard(db, key, mayStay(commit, moves.leaving))
  const { leaving, returning } = heard.length === 0 ? moves : movesBehind(key, commit, await writtenMessages(db, key))
  for (let at = 0; at < leaving.length; at += pageRows) await setAside(db, key, leaving.slice(at, at + pageRows))
  for (let at = 0; at < returning.length; at += pageRows)
    count = await takeIn(db, key, { places: returning.slice(at, at + pageRows), spoken: count })
  return { spoken: count, hasMoved: moves.leaving.length + returning.length > 0, heard }
}

/** Deletes the heard words among messages that leave the history, and returns them in their order. */
async function takeHeard(db: Queries, key: SessionKey, leaving: readonly WrittenMessage[]): Promise<readonly HistoryMessage[]> {
  const heard = new Map<number, HistoryMessage>()
  for (let at = 0; at < leaving.length; at += pageRows) {
    const positions = leaving.slice(at, at + pageRows).map(({ position }) => position)
    const rows = db.selectFrom("messages").select(["position", "body"]).where(inSession(key)).where("position", "in", positions)
    for (const row of await rows.where("role", "=", "user").orderBy("position").execute()) {
      const message = freezeParsed(readMessage(key, row))
      if (isHeard(message)) heard.set(row.position, message)
    }
  }
  if (heard.size > 0) await linkWithout(db, key, ({ position }) => heard.has(position))
  for (const position of heard.keys())
    await db.deleteFrom("messages").where(inSession(key)).where("position", "=", position).execute()
  return [...heard.values()]
}

/** Moves messages out of the history. */
async function setAside(db: Queries, key: SessionKey, places: readonly (WrittenMessage & { readonly follows: number })[]) {
  const positions = places.map(({ position }) => position)
  const follows = new Map(places.map((place) => [place.position, place.follows]))
  const found = db.selectFrom("messages").select(sharedColumns).where(inSession(key)).where("position", "in", positions)
  const rows = (await found.execute()).map((row) => ({ ...row, follows: follows.get(row.position) ?? -1 }))
  await db.insertInto("aside_messages").values(rows).execute()
  await db.deleteFrom("messages").where(inSession(key)).where("position", "in", positions).execute()
}

/** Moves messages back into the history, of which `spoken` messages before them are not blank. Returns the count behind them. */
async function takeIn(
  db: Queries,
  key: SessionKey,
  { places, ...before }: { readonly places: readonly WrittenMessage[]; readonly spoken: number },
): Promise<number> {
  let { spoken } = before
  const positions = places.map(({ position }) => position)
  const found = db.selectFrom("aside_messages").select(sharedColumns).where(inSession(key)).where("position", "in", positions)
  const rows: ((typeof found extends { execute(): Promise<(infer Row)[]> } ? Row : never) & { spoken: number })[] = []
  for (const row of await found.orderBy("position").execute()) {
    rows.push({ ...row, spoken })
    if (isSpoken(readMessage(key, row, "aside_messages"))) spoken += 1
  }
  await db.insertInto("messages").values(rows).execute()
  await db.deleteFrom("aside_messages").where(inSession(key)).where("position", "in", positions).execute()
  return spoken
}

/** To be called before messages are deleted: those that are set aside behind them then follow what is left. */
export async function linkWithout(db: Queries, key: SessionKey, isGone: (message: WrittenMessage) => boolean): Promise<void> {
  const written = await writtenMessages(db, key)
  const before = new Map(written.map(({ position, follows }) => [position, follows]))
  for (const { position, follows } of withoutMessages(written, isGone)) {
    if (follows === undefined || follows === before.get(position)) continue
    await db.updateTable("aside_messages").set({ follows }).where(inSession(key)).where("position", "=", position).execute()
  }
}
