import type { HistoryMessage, SessionKey } from "../../../../core/conversation.ts"
import { turnsOf } from "../branches.ts"
import { tellSetAside } from "../forgetting.ts"
import type { JobRunner } from "../job-runner.ts"
import { takeBack } from "../rows/forget-turns.ts"
import { putReceipts } from "../rows/receipt-records.ts"
import { countRows, createRowStore } from "../rows/row-store.ts"
import { sessionOf } from "../rows/row-tables.ts"
import { endBehind, lockSession, wholeMessages } from "../rows/session-rows.ts"
import { filterMessages, type MessageFilter, type SessionCommit, type SessionStore, sessionConflict } from "../session-store.ts"
import type { Store } from "../store.ts"
import type { JobTable } from "./job-table.ts"
import type { InMemoryRows, SessionTable } from "./session-table.ts"

/** The parts of a store in memory that a turn without memories, jobs and pictures needs none of. */
export interface InMemoryParts extends ReturnType<typeof createRowStore>, Pick<SessionStore, "messages" | "branches"> {
  /** {@link SessionTable.commit} with `after` or receipts. Turns that it sets aside leave nothing behind that was drawn from them. */
  commitBehind(key: SessionKey, commit: SessionCommit): Promise<number>
  check: Store["check"]
}

/** Makes the parts over the tables in which a store has its sessions. */
export function makeParts(
  sessions: SessionTable,
  { runner, jobs }: { readonly runner: JobRunner; readonly jobs: JobTable },
): InMemoryParts {
  const { rows } = sessions
  const nothing = () => undefined
  return {
    ...createRowStore({
      database: rows,
      runner,
      wakeJobs: () => jobs.wake(),
      clearCache: nothing,
      stopForgotten: nothing,
      async erase() {},
    }),
    async messages(key, filter) {
      while (rows.busy) await rows.busy
      return Object.freeze(messagesOf(rows, key, filter))
    },
    branches: async (key) => turnsOf(await rows.read(() => wholeMessages(rows, key))),
    async commitBehind(key, commit) {
      const { hasMoved, version } = await rows.write(async () => {
        const written = await commitBehind(sessions, key, commit)
        if (written.hasMoved) await takeBack(rows, key)
        await putReceipts(rows, commit.receipts ?? [], { areFirst: true })
        return written
      })
      if (hasMoved) await tellSetAside(runner, key)
      return version
    },
    async check() {
      const dead = (await jobs.dead()).length
      const problems = dead === 0 ? [] : [`jobs: ${dead} failed for good. Read why with store.jobs.dead(); they are kept.`]
      return { ok: dead === 0, problems, counts: { ...(await rows.read(countRows)), job: jobs.rows().length } }
    },
  }
}

/** The messages that meet a filter, oldest first. It looks at those from the filter's moment on, or from the newest back, and at few others. */
function messagesOf(rows: InMemoryRows, key: SessionKey, filter: MessageFilter): readonly HistoryMessage[] {
  const { fromMs, skip = 0, limit } = filter
  const from = fromMs === undefined ? undefined : { from: fromMs }
  for (let last = Math.max(0, skip) + Math.max(0, limit); ; last *= 2) {
    const newest = { order: ["position"], isDescending: true, limit: last }
    const found = rows.select("messages", { ...sessionOf(key), at_ms: from }, from ? { order: ["at_ms"] } : newest)
    const bodies = found.sort((a, b) => a.position - b.position).map(({ body }) => body)
    const fitting = filterMessages(bodies, filter)
    if (from || bodies.length < last || !(fitting.length < limit)) return fitting
  }
}

/** Lets the history of a session end where a commit asks, and commits. Tells if any message changed its place. */
async function commitBehind(sessions: SessionTable, key: SessionKey, commit: SessionCommit) {
  const { rows } = sessions
  const row = await lockSession(rows, key)
  if (commit.expectVersion !== row.version) throw sessionConflict(key, commit.expectVersion, row.version)
  const stays = { spoken: row.spoken, heard: [], hasMoved: false }
  const { spoken, heard, hasMoved } =
    commit.after === undefined ? stays : await endBehind(rows, key, { commit, spoken: row.spoken })
  rows.update("sessions", sessionOf(key), { spoken })
  return { version: sessions.commitWithin(key, { ...commit, append: [...commit.append, ...heard] }), hasMoved }
}
