import { countRows } from "../../../../memory/services/store/rows/row-store.ts"
import type { Rows } from "../../../../memory/services/store/rows/rows.ts"
import type { StoreCheck } from "../../../../memory/services/store/store.ts"
import type { SqlJobs } from "../sql-database.ts"
import type { Queries } from "../sql-tables.ts"
import { damagedRows, damageProblem } from "./damaged-rows.ts"

/** Counts the rows of each table, reads every body, and looks for rows that do not fit together. */
export async function checkRows(db: Queries, rows: Rows, jobs: SqlJobs): Promise<Omit<StoreCheck, "ok">> {
  const counts = await countRows(rows)
  const ofJobs = await jobs.check(db)
  const damaged = await damagedRows(db, jobs)
  return {
    counts: { ...counts, job: ofJobs.count },
    problems: [
      ...damaged.map(damageProblem),
      ...(await lostRows(db)),
      ...(await unlinkedMessages(db)),
      ...(await missingBytes(db)),
      ...(await hiddenMemories(db)),
      ...ofJobs.problems,
    ],
  }
}

const repair = "Export, and import into a new store."

/** Rows whose owner is gone. Foreign keys forbid them, but another program may have written to the file. */
async function lostRows(db: Queries): Promise<readonly string[]> {
  const problems: string[] = []
  for (const table of ["messages", "aside_messages", "notes", "state_changes", "session_blobs"] as const) {
    const { lost } = await db
      .selectFrom(table)
      .leftJoin("sessions", (join) =>
        join
          .onRef("sessions.agent", "=", `${table}.agent`)
          .onRef("sessions.conversation", "=", `${table}.conversation`)
          .onRef("sessions.audience", "=", `${table}.audience`),
      )
      .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
      .where("sessions.version", "is", null)
      .executeTakeFirstOrThrow()
    if (lost > 0) problems.push(`${table}: ${lost} rows belong to no session. ${repair}`)
  }
  const { lost } = await db
    .selectFrom("statements")
    .leftJoin("users", (join) =>
      join.onRef("users.agent", "=", "statements.agent").onRef("users.user_id", "=", "statements.user_id"),
    )
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
    .where("users.version", "is", null)
    .executeTakeFirstOrThrow()
  return lost > 0 ? [...problems, `statements: ${lost} rows belong to no user. ${repair}`] : problems
}

/** Messages that are set aside behind a message that is gone: their branch could not be taken up again as it was. */
async function unlinkedMessages(db: Queries): Promise<readonly string[]> {
  const { lost } = await db
    .selectFrom("aside_messages as aside")
    .leftJoin("messages as path", (join) =>
      join
        .onRef("path.agent", "=", "aside.agent")
        .onRef("path.conversation", "=", "aside.conversation")
        .onRef("path.audience", "=", "aside.audience")
        .onRef("path.position", "=", "aside.follows"),
    )
    .leftJoin("aside_messages as other", (join) =>
      join
        .onRef("other.agent", "=", "aside.agent")
        .onRef("other.conversation", "=", "aside.conversation")
        .onRef("other.audience", "=", "aside.audience")
        .onRef("other.position", "=", "aside.follows"),
    )
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
    .where("aside.follows", ">=", 0)
    .where("path.position", "is", null)
    .where("other.position", "is", null)
    .executeTakeFirstOrThrow()
  return lost > 0 ? [`aside_messages: ${lost} rows follow a message that is gone. ${repair}`] : []
}

/** Memories that no reader of changes would ever see, because their number is above the newest number of their scope. */
async function hiddenMemories(db: Queries): Promise<readonly string[]> {
  const { lost } = await db
    .selectFrom("memories")
    .innerJoin("memory_scopes", (join) =>
      join
        .onRef("memory_scopes.agent", "=", "memories.agent")
        .on(({ eb, val }) => eb("memory_scopes.scope", "=", eb(val("user:"), "||", eb.ref("memories.user_id")))),
    )
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
    .whereRef("memories.user_sequence", ">", "memory_scopes.sequence")
    .executeTakeFirstOrThrow()
  return lost > 0 ? [`memories: ${lost} rows are numbered above their user's count. ${repair}`] : []
}

/** Blobs that are held without bytes. */
async function missingBytes(db: Queries): Promise<readonly string[]> {
  const { lost } = await db
    .selectFrom("session_blobs")
    .leftJoin("blobs", (join) => join.onRef("blobs.agent", "=", "session_blobs.agent").onRef("blobs.id", "=", "session_blobs.id"))
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "integer").as("lost"))
    .where("blobs.id", "is", null)
    .executeTakeFirstOrThrow()
  const advice = "Put the same bytes again, or go back to a backup."
  return lost > 0 ? [`session_blobs: ${lost} rows hold bytes that are not there. ${advice}`] : []
}
