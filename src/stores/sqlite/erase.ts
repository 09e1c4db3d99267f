import type { OpenSqlite } from "./sqlite-database.ts"

/**
 * Leaves nothing of deleted rows in the file or beside it: every page is written anew, for pages keep remains of rows that once
 * moved through them, and the log is emptied.
 */
export async function erase({ exclusively }: Pick<OpenSqlite, "exclusively">): Promise<void> {
  await exclusively((database) => database.exec("vacuum"))
  await exclusively((database) => {
    const row = database.prepare("pragma wal_checkpoint(truncate)").get()
    // Somebody else still reads from the log: to be tried again, as for any other lock.
    if (row?.busy === 1) throw Object.assign(new Error("the log is being read"), { errcode: 5 })
  })
}
