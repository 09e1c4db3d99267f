import type { HistoryMessage } from "../../core/history.ts"
import type { GoneMemory } from "./forget-memories.ts"
import { keyText } from "./key-text.ts"
import type { Queries, SessionColumns } from "./tables.ts"

/** Messages keep what their turn recalled; that goes where it may have been one of these memories. Their sessions get a new version. */
export async function dropRecalled(db: Queries, agent: string, gone: readonly GoneMemory[]): Promise<void> {
  const owner = keyText(agent)
  const groups = new Set(gone.filter(({ audience }) => audience === "group").map(({ conversation }) => conversation))
  const changed = new Map<string, SessionColumns>()
  for (const user of new Set(gone.map(({ user_id }) => user_id)))
    await strip(db, withRecalled(db, owner).where("speaker_id", "=", user), changed)
  for (const group of groups)
    await strip(db, withRecalled(db, owner).where("conversation", "=", group).where("audience", "=", "group"), changed)
  for (const session of changed.values())
    await db
      .updateTable("sessions")
      .set(({ eb }) => ({ version: eb("version", "+", 1) }))
      .where(({ and }) => and(session))
      .execute()
}

/** Whatever can hold recalled memories, and more. */
function withRecalled(db: Queries, agent: string) {
  return db
    .selectFrom("messages")
    .select(["agent", "conversation", "audience", "position", "body"])
    .where("agent", "=", agent)
    .where("body", "like", '%"recalled"%')
}

async function strip(
  db: Queries,
  messages: ReturnType<typeof withRecalled>,
  changed: Map<string, SessionColumns>,
): Promise<void> {
  for (const { body, position, ...session } of await messages.execute()) {
    const { recalled, ...rest } = JSON.parse(body) as HistoryMessage
    if (recalled === undefined) continue
    changed.set(JSON.stringify(session), session)
    await db
      .updateTable("messages")
      .set({ body: JSON.stringify(rest) })
      .where(({ and }) => and(session))
      .where("position", "=", position)
      .execute()
  }
}
