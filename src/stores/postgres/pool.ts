import type { Client, ClientConfig, Pool } from "pg"
import { messageOf } from "../../core/errors.ts"
import { type ConnectionTarget, withoutSecrets } from "./connection-url.ts"
import type { Drivers } from "./drivers.ts"
import type { PostgresSettings } from "./postgres-options.ts"

/** The number of the type `bigint`, which counts come as. */
const bigintType = 20

/** The store's connections. One that breaks is replaced when it is next needed. */
export function openPool({ pg }: Pick<Drivers, "pg">, settings: PostgresSettings, target: ConnectionTarget): Pool {
  const pool = new pg.Pool({
    ...connection(settings, "promptstrata"),
    max: settings.maxConnections,
    types: { getTypeParser: (type: number, format?: "text" | "binary") => parserOf(pg, type, format) },
  })
  const warn = (error: Error) =>
    pool.ending || settings.onWarning(withoutSecrets(`a connection was lost: ${messageOf(error)}`, target))
  pool.on("error", warn)
  // A client that breaks while it is in use tells whoever uses it; without a listener it would end the process as well.
  pool.on("connect", (client) => client.on("error", () => undefined))
  return pool
}

/** A client for the connection that listens; each connects once. */
export function listeningClient({ pg }: Pick<Drivers, "pg">, settings: PostgresSettings): Client {
  return new pg.Client(connection(settings, "promptstrata listening"))
}

function connection({ url, connectTimeoutMs }: PostgresSettings, name: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: name,
  }
}

function parserOf(pg: Drivers["pg"], type: number, format: "text" | "binary" | undefined) {
  return type === bigintType ? Number : pg.types.getTypeParser(type, format)
}
