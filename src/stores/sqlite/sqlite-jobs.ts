import type { SqlJobs } from "../sql/sql-database.ts"
import { deleteJobs, insertJobs, listJobs } from "./job-rows.ts"
import { jobQueries } from "./job-tables.ts"

/** Jobs as rows of the same file, written by the commit's own transaction. */
export function createSqliteJobs(wake: () => void): SqlJobs {
  return {
    async enqueue(db, jobs) {
      const rows = jobs.map((job) => ({ job, attempts: 0 }))
      await insertJobs(jobQueries(db), rows)
    },
    restore: async (db, row) => (await insertJobs(jobQueries(db), [row])) > 0,
    forget: (db, owned) => deleteJobs(jobQueries(db), owned),
    list: (db, owned) => listJobs(jobQueries(db), owned),
    wake,
    async check(db) {
      const rows = await jobQueries(db)
        .selectFrom("jobs")
        .select(({ fn, cast }) => ["state", cast<number>(fn.countAll(), "integer").as("count")])
        .where("state", "in", ["waiting", "dead"])
        .groupBy("state")
        .execute()
      const dead = rows.find(({ state }) => state === "dead")?.count ?? 0
      const problems = dead === 0 ? [] : [`jobs: ${dead} failed for good. \`promptstrata doctor\` lists them with their errors.`]
      return { problems, count: rows.reduce((sum, { count }) => sum + count, 0) }
    },
  }
}
