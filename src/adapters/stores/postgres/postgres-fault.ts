import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { faultAdvice } from "../sql/fault-advice.ts"
import { type ConnectionTarget, withoutSecrets } from "./connection-url.ts"

/**
 * Turns an error of the driver into one with code `store`: the database, the server's words, advice. Errors of this library stay as
 * they are. The password is in neither message nor evidence. There is no `cause`, because the driver's error may contain it.
 */
export function postgresFault(thrown: unknown, target: ConnectionTarget): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  const code = codeOf(thrown)
  const said = withoutSecrets(sentence(thrown), target)
  const hint =
    code === undefined ? hintFor(said, target) : adviceOn([code, `${code.slice(0, 3)}*`, `${code.slice(0, 2)}*`], target)
  const evidence = { database: target.shown, code }
  return new PromptStrataError("store", `PostgreSQL at ${target.shown} failed: ${said}`, { hint, evidence })
}

/** Advice for errors without a code: `pg` throws them when a connection ends or is not made in time. */
function hintFor(said: string, target: ConnectionTarget): string | undefined {
  if (said.includes("timeout"))
    return `${adviceOn(["ETIMEDOUT"], target)} If it is, every connection of this process was in use: raise maxConnections.`
  const isLost = said.includes("terminated") || said.includes("ended") || said.includes("not queryable")
  return isLost ? adviceOn(["ECONNRESET"], target) : undefined
}

/** The advice for the first of these codes that has some. */
function adviceOn(codes: readonly string[], { user, database, host }: ConnectionTarget): string | undefined {
  const shown: Readonly<Record<string, string>> = { user: JSON.stringify(user), database: JSON.stringify(database), host }
  const known = codes.find((code) => faultAdvice.has(code))
  return faultAdvice.get(known ?? "")?.replace(/\{(\w+)\}/g, (_, name: string) => shown[name] ?? "")
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
