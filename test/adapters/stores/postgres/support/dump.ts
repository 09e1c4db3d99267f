import pg from "pg"

/** Every table of a database, pg-boss' too, as text: row by row. */
export async function dumpDatabase(url: string): Promise<ReadonlyMap<string, string>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ schema: string; name: string }>(
      `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') order by 1, 2`,
    )
    const dump = new Map<string, string>()
    for (const { schema, name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from "${schema}"."${name}" t`)
      dump.set(`${schema}.${name}`, rows.map(({ row }) => row).join("\n"))
    }
    return dump
  } finally {
    await client.end()
  }
}
