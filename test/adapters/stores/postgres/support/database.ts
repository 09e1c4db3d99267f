import pg from "pg"
import { inject } from "vitest"

let made = 0

/** Makes an empty database on the tests' server. It is dropped after the tests of the file. */
export async function makeDatabase(): Promise<string> {
  made += 1
  const name = `test_${process.pid}_${process.env.VITEST_POOL_ID ?? 0}_${made}_${Date.now().toString(36)}`
  await query(inject("postgresUrl"), `create database ${name}`)
  return urlOf(name)
}

/** The URL of a database on the tests' server, whether it exists or not. */
export function urlOf(database: string, { user = "postgres", password = "postgres" } = {}): string {
  const url = new URL(inject("postgresUrl"))
  url.pathname = `/${database}`
  url.username = user
  url.password = encodeURIComponent(password)
  return url.href
}

/** Runs one statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text, [...values])).rows
  } finally {
    await client.end()
  }
}
