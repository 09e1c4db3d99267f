import pg from "pg"

/** Calls `onStatement` with each text that PostgreSQL receives from this process, until the function that is returned is called. */
export function watchPostgres(onStatement: (sql: string) => void): () => void {
  const { query } = pg.Client.prototype
  // The overloads of `query` are of no interest here.
  const watched = function (this: pg.Client, ...given: unknown[]): unknown {
    const [first] = given
    onStatement((typeof first === "string" ? first : (first as { text: string }).text).trim())
    return (query as (...given: unknown[]) => unknown).apply(this, given)
  }
  Object.assign(pg.Client.prototype, { query: watched })
  return () => void Object.assign(pg.Client.prototype, { query })
}

/** True for the statements of pg-boss about its own tables, and for those about the jobs in them. */
export const isOfEngine = (sql: string): boolean => sql.includes("pgboss")
