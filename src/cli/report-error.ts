import { messageOf, PromptStrataError } from "../core/errors.ts"
import { terminalText } from "./terminal-text.ts"

/** An error for a person: what it says, with the place in the file; where it was thrown only when asked for. */
export function errorText(thrown: unknown, { debug }: { readonly debug: boolean }): string {
  const known = PromptStrataError.isInstance(thrown)
  const hint = known || debug ? "" : "\nThis is a bug in promptstrata; --debug shows where."
  const stack = debug && thrown instanceof Error ? `\n${stackOf(thrown)}` : ""
  return terminalText(`${messageOf(thrown)}${hint}${stack}`)
}

function stackOf(error: Error): string {
  const own = error.stack ?? ""
  return error.cause instanceof Error && error.cause !== error ? `${own}\ncaused by: ${error.cause.stack ?? ""}` : own
}
