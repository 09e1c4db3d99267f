import { messageOf } from "../../core/errors.ts"
import type { Fault, FaultKind } from "./fault.ts"
import { recordOf, stringOf } from "./json-access.ts"

/** A fault without an answer: no connection, or one that broke. `begun` says that the answer had started. */
export function connectionFault(thrown: unknown, begun: boolean): Fault {
  const chain = causesOf(thrown)
  const code = chain.map((error) => stringOf(recordOf(error).code)).find((word) => word !== "") ?? ""
  const kind = kindOf({ code, thrown, begun })
  return {
    kind,
    isRetryable: retryable.has(kind),
    said: [messageOf(chain.at(-1)), code].filter((word) => word !== "").join(" "),
  }
}

const retryable: ReadonlySet<FaultKind> = new Set(["broken", "refused", "timeout", "network"])

function kindOf({
  code,
  thrown,
  begun,
}: {
  readonly code: string
  readonly thrown: unknown
  readonly begun: boolean
}): FaultKind {
  if (begun) return "broken"
  if (code === "ECONNREFUSED") return "refused"
  if (code === "ENOTFOUND") return "no-such-host"
  if (code.includes("CERT") || code.includes("SELF_SIGNED") || code.includes("SSL")) return "certificate"
  if (code.includes("TIMEOUT") || code === "ETIMEDOUT" || messageOf(thrown).includes("timed out")) return "timeout"
  return isConnectionError(thrown) ? "network" : "other"
}

/** The client wraps what `fetch` throws; everything else it throws is about how it was called. */
function isConnectionError(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.constructor.name.startsWith("APIConnection")
}

/** The error and what caused it, at most eight deep, also through an AggregateError's first member. */
function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [thrown]
  for (let depth = 0; depth < 8; depth++) {
    const error = chain.at(-1)
    const inner: unknown = error instanceof AggregateError ? error.errors[0] : recordOf(error).cause
    if (inner === undefined || inner === null) break
    chain.push(inner)
  }
  return chain
}
