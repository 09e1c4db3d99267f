import type { KeptPrestart } from "../core/history.ts"
import type { Entry, Text } from "../core/value.ts"
import { encodedText } from "../encode/marked-text.ts"
import { sanitiseJson } from "../encode/sanitise.ts"
import { printArguments } from "../tools/print-arguments.ts"

/** The entry of a prestart result. */
export function prestartEntry({ tool, args, result }: KeptPrestart): Entry {
  return { tool: { text: tool, trust: "tool" }, arguments: argumentsText(args, "tool"), result: { text: result, trust: "tool" } }
}

/** Arguments are encoded one by one, so they are cleaned one by one too. */
export function argumentsText(args: Readonly<Record<string, unknown>>, trust: Text["trust"]): Text {
  const { value, ...removed } = sanitiseJson(args)
  return encodedText(printArguments(value), trust, removed)
}
