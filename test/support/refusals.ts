import { PromptStrataError } from "../../src/core/errors.ts"

/** A call that should be refused. A turn counts as refused if its result has an error. */
export type Refused = () => unknown

/** The whole error of each call as text: code, message with its hint, evidence, and the message of its cause. */
export async function refusals(calls: Readonly<Record<string, Refused>>): Promise<string> {
  const printed: string[] = []
  for (const [name, call] of Object.entries(calls)) printed.push(`## ${name}`, ...linesOf(await errorOf(call)), "")
  return printed.join("\n")
}

async function errorOf(call: Refused): Promise<unknown> {
  try {
    const value: unknown = await call()
    if (!isTurn(value)) return "not refused"
    const result = await value.result
    return result.ok ? "not refused" : result.error
  } catch (error) {
    return error
  }
}

function isTurn(value: unknown): value is { readonly result: Promise<{ readonly ok: boolean; readonly error: unknown }> } {
  return typeof value === "object" && value !== null && "result" in value && value.result instanceof Promise
}

function linesOf(error: unknown): readonly string[] {
  if (!PromptStrataError.isInstance(error)) return [String(error)]
  const { code, message, evidence, cause, source } = error
  const kept = JSON.stringify(evidence)
  return [
    `${code}: ${message}`,
    ...(kept === "{}" ? [] : [`evidence: ${kept}`]),
    ...(source === undefined ? [] : [`source: ${JSON.stringify(source)}`]),
    ...(cause === undefined ? [] : [`cause: ${cause instanceof Error ? cause.message : String(cause)}`]),
  ]
}
