import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { newerSchemaHint } from "../sql/migrate.ts"
import { type ConnectionTarget, withoutSecrets } from "./connection-url.ts"

const lost = "The connection was lost: whether a write at that moment was kept is not known. Load again before repeating it."
const unreachable = (host: string) => `Is PostgreSQL running and reachable at ${host}? Check the host and port in the URL.`

/** Advice for a fault by its code. A trailing `*` stands for any rest. */
const advice: Readonly<Record<string, (target: ConnectionTarget) => string>> = {
  "28P01": ({ user }) =>
    `The server refused the password of ${JSON.stringify(user)}. Check the user and the password in the URL.`,
  "28*": ({ user }) => `The server refused ${JSON.stringify(user)}. Check the user in the URL and the server's pg_hba.conf.`,
  "3D000": ({ database }) => `Make the database first: createdb ${JSON.stringify(database)}, or name another one in the URL.`,
  "42501": ({ user, database }) =>
    `Let ${JSON.stringify(user)} make tables and a schema: grant create on database ${JSON.stringify(database)} and on its schema public.`,
  "53300": () => "The server has no connection left. Lower maxConnections, raise the server's max_connections, or use a pooler.",
  "53100": () => "The server's disk is full.",
  "25006": () => "The server only reads: name the primary in the URL, not a replica.",
  // The column or table does not exist.
  "42703": () => newerSchemaHint,
  "42P01": () => newerSchemaHint,
  "57P03": () => "The server is starting or shutting down. Try again in a moment.",
  "57P*": () => lost,
  "57014": () => "Nothing was written: the server cancelled the statement, for example because its statement_timeout was over.",
  "08*": () => lost,
  ECONNRESET: () => lost,
  EPIPE: () => lost,
  ECONNREFUSED: ({ host }) => unreachable(host),
  ENOTFOUND: ({ host }) => unreachable(host),
  EAI_AGAIN: ({ host }) => unreachable(host),
  ETIMEDOUT: ({ host }) => unreachable(host),
  EHOSTUNREACH: ({ host }) => unreachable(host),
}

/**
 * Turns an error of the driver into one with code `store`: the database, the server's words, advice. Errors of this library stay as
 * they are. The password is in neither message nor evidence. There is no `cause`, because the driver's error may contain it.
 */
export function postgresFault(thrown: unknown, target: ConnectionTarget): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  const code = codeOf(thrown)
  const said = withoutSecrets(sentence(thrown), target)
  const hint =
    code === undefined
      ? hintFor(said, target)
      : (advice[code] ?? advice[`${code.slice(0, 3)}*`] ?? advice[`${code.slice(0, 2)}*`])?.(target)
  const evidence = { database: target.shown, code }
  return new PromptStrataError("store", `PostgreSQL at ${target.shown} failed: ${said}`, { hint, evidence })
}

/** Advice for errors without a code: `pg` throws them when a connection ends or is not made in time. */
function hintFor(said: string, { host }: ConnectionTarget): string | undefined {
  if (said.includes("timeout"))
    return `${unreachable(host)} If it is, every connection of this process was in use: raise maxConnections.`
  return said.includes("terminated") || said.includes("ended") || said.includes("not queryable") ? lost : undefined
}

function sentence(thrown: unknown): string {
  // Node tries the addresses of a name one by one and then throws all errors together, without a message.
  const all = thrown instanceof AggregateError ? thrown.errors.map(messageOf).join("; ") : messageOf(thrown)
  return all === "" ? "no reason given" : all
}

/** True when an established connection was lost. */
export function isConnectionLost(thrown: unknown): boolean {
  const code = codeOf(thrown) ?? ""
  if (code !== "") return ["57P01", "57P02", "ECONNRESET", "EPIPE"].includes(code) || code.startsWith("08")
  const said = messageOf(thrown)
  return said.includes("Connection terminated") || said.includes("not queryable")
}

/** The code of an error: the server's SQLSTATE or the network's. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined
  return typeof thrown.code === "string" ? thrown.code : undefined
}
