import type { Kysely } from "kysely"
import { createTable } from "../sql/create-table.ts"
import type { Migration } from "../sql/migrate.ts"
import type { Queries, SessionColumns, UserColumns } from "../sql/tables.ts"

/** What a file holds of jobs beside the shared tables. */
export interface JobTables {
  jobs: SessionColumns &
    UserColumns & {
      id: string
      /** Jobs are done in this order. */
      position: number
      kind: string
      /** A job that is done leaves its id behind for a while, so that it is not taken twice. */
      state: "waiting" | "dead" | "done"
      attempts: number
      /** Not before this moment. */
      due_ms: number
      /** When it was done or given up. */
      ended_ms: number | null
      error: string | null
      body: string | null
    }
  /** Which process runs the jobs of an agent, and until when. */
  leases: { agent: string; owner: string; expires_ms: number }
}

/** The same transaction, with a view of the tables of jobs. */
export function jobQueries(db: Queries): Kysely<JobTables> {
  return db as unknown as Kysely<JobTables>
}

/** The tables of jobs, from the first on. A migration that was released is never changed. */
export const jobMigrations: readonly Migration[] = [
  {
    name: "jobs and their owner",
    async up(db, types) {
      await createTable(db, types, "jobs", {
        columns: {
          agent: "text",
          conversation: "text",
          audience: "text",
          user_id: "text",
          id: "text",
          position: "integer",
          kind: "text",
          state: "text",
          attempts: "integer",
          due_ms: "double",
          ended_ms: "double?",
          error: "text?",
          body: "text?",
        },
        key: ["id"],
        indexes: [
          ["state", "agent", "conversation", "audience", "position"],
          ["state", "position"],
        ],
      })
      await createTable(db, types, "leases", {
        columns: { agent: "text", owner: "text", expires_ms: "double" },
        key: ["agent"],
      })
    },
  },
]
