import { clipped } from "../../core/graphemes.ts"
import { hostSecrets } from "../../core/secrets/find-secrets.ts"
import { redactText } from "../../core/secrets/redact.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import { sanitise } from "../../prompt/encode/sanitise.ts"

/** A problem with a server. The agent goes on without the part that is concerned. */
export interface McpWarning {
  readonly server: string
  /** `start`: it is not running. `tools`: its list. `approval`: a tool waits for it. `request`: it was refused. `result`: of a tool. `skills`: a resource or prompt. */
  readonly kind: "start" | "tools" | "approval" | "request" | "result" | "skills"
  /** One line, safe for a terminal. */
  readonly message: string
}

export function warnOnConsole({ server, message }: McpWarning): void {
  console.warn(`promptstrata: MCP server ${server}: ${message}`)
}

/** Makes a callback that prints what it throws, for callers that must go on. */
export function unthrowing<T>(callback: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      callback(value)
    } catch (error) {
      console.error(error)
    }
  }
}

const maxCharacters = 200

/** Returns a server's text for a warning: one line of at most 200 characters, without secrets or anything that acts on a terminal. */
export function safeLine(text: string): string {
  return clipped(onOneLine(sanitise(redactText(text.slice(0, 100 * maxCharacters), hostSecrets())).text), maxCharacters)
}
