import { messageOf } from "../core/errors.ts"
import { hostSecrets } from "../core/secrets/find-secrets.ts"
import { redactText } from "../core/secrets/redact.ts"

/** Writes an error with its stack and its causes to stderr, without secrets. Takes any thrown value, and never throws. */
export function logError(error: unknown): void {
  console.error(redactText(stackOf(error, 0), hostSecrets()))
}

function stackOf(error: unknown, depth: number): string {
  if (!(error instanceof Error)) return messageOf(error)
  const own = error.stack ?? messageOf(error)
  return error.cause === undefined || depth > 8 ? own : `${own}\n[cause]: ${stackOf(error.cause, depth + 1)}`
}
