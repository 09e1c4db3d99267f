import { hostTimers } from "../../core/host-timers.ts"
import type { Ports } from "../../core/ports.ts"
import { defaultJobSettings, type JobSettings } from "../job-settings.ts"
import { readStoreRow } from "../read-store-row.ts"
import type { Store } from "../store.ts"
import { runnerOfOpenStore } from "../store-closed.ts"
import type { StoreRow } from "../store-row.ts"
import { exportRows } from "./export-rows.ts"
import { forgetRows } from "./forget-rows.ts"
import { importRows } from "./import-rows.ts"
import { JobTable } from "./job-table.ts"
import { MemoryTable } from "./memory-table.ts"
import { ReceiptTable } from "./receipt-table.ts"
import { SessionTable } from "./session-table.ts"
import type { Tables } from "./tables.ts"
import { UserTable } from "./user-table.ts"

/** Options of {@link createInMemoryStore}. */
export interface InMemoryStoreOptions {
  readonly jobs?: Partial<JobSettings>
  /** Timers and randomness for waits between attempts, for tests. */
  readonly ports?: Partial<Pick<Ports, "timers" | "random">>
}

/** How long `close` waits for jobs that run. */
const drainMs = 5_000

/**
 * An empty store that lives and dies with the process. What it is given is copied and what it hands out is frozen, so nothing that
 * a caller holds ever changes. What is not plain JSON throws `usage`, as it would not survive a database.
 */
export function createInMemoryStore({ jobs, ports }: InMemoryStoreOptions = {}): Store {
  const tables: Tables = {
    sessions: new SessionTable(),
    memories: new MemoryTable(),
    users: new UserTable(),
    receipts: new ReceiptTable(),
    jobs: new JobTable({ ...defaultJobSettings, ...jobs }, { timers: hostTimers, random: Math.random, ...ports }),
  }
  const { sessions } = tables
  let isClosed = false
  return {
    load: async (key, { last } = {}) => sessions.load(key, last),
    async commit(key, commit) {
      const committed = sessions.commit(key, commit)
      tables.jobs.enqueue(committed.jobs)
      return { version: committed.version }
    },
    post: async (key, note) => sessions.post(key, note),
    messages: async (key, filter) => sessions.messages(key, filter),
    jobs: runnerOfOpenStore(tables.jobs, { store: "The store in memory", isClosed: () => isClosed }),
    memories: tables.memories,
    users: tables.users,
    receipts: tables.receipts,
    async *export(scope) {
      for (const row of exportRows(tables, scope)) yield JSON.stringify(row)
    },
    import: async (lines) => importRows(tables, await readRows(lines)),
    forget: async (scope) => forgetRows(tables, scope),
    check: async () => ({ ok: true, problems: [], counts: countRows(tables) }),
    async close() {
      await tables.jobs.close({ drainMs })
      isClosed = true
    },
  }
}

async function readRows(lines: AsyncIterable<string> | Iterable<string>): Promise<readonly StoreRow[]> {
  const rows: StoreRow[] = []
  let number = 0
  for await (const line of lines) {
    number++
    if (line.trim() !== "") rows.push(readStoreRow(line, number))
  }
  return rows
}

function countRows({ sessions, memories, users, receipts, jobs }: Tables): Readonly<Record<string, number>> {
  const of = <T>(rows: readonly T[], count: (row: T) => number): number => rows.reduce((sum, row) => sum + count(row), 0)
  return {
    session: sessions.rows().length,
    message: of(sessions.rows(), ({ history }) => history.length),
    note: of(sessions.rows(), ({ notes }) => notes.size),
    memory: memories.rows().length,
    vector: of(memories.rows(), ({ vectors }) => vectors.size),
    user: users.rows().length,
    statement: of(users.rows(), ({ statements }) => statements.length),
    receipt: receipts.rows().length,
    job: jobs.rows().length,
  }
}
