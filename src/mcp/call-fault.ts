import { messageOf } from "../core/errors.ts"
import { shown } from "./shown.ts"

/**
 * Why a request has no result. `refused`: the server says so, in its own words. `stopped`: the connection ended.
 * `session`: the server no longer knows the session, so nothing was done. `unreachable`: it did not get through.
 */
export type CallFault =
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "stopped" }
  | { readonly kind: "session" }
  | { readonly kind: "unreachable"; readonly reason: string }

/** Reads what the client library rejected a request with. */
export function callFault(error: unknown): CallFault {
  const { code, data } = error as { readonly code?: unknown; readonly data?: { readonly status?: unknown } }
  // JSON-RPC errors have numbers.
  if (typeof code === "number") return { kind: "refused", message: messageOf(error) }
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED" || messageOf(error) === "Not connected") return { kind: "stopped" }
  const status = data?.status
  if (status === 404 || status === 400) return { kind: "session" }
  return { kind: "unreachable", reason: shown(rootMessage(error)) }
}

/** `fetch` says only that it failed; why is its cause. */
function rootMessage(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown }
  return cause === undefined ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`
}
