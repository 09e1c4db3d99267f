import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { mapTexts } from "./map-texts.ts"
import type { RecordedError } from "./recording.ts"

/** What a stream threw, as data without secrets; its cause is left out. */
export function recordedError(thrown: unknown, redact: (text: string) => string): RecordedError {
  if (!PromptStrataError.isInstance(thrown)) return { message: redact(messageOf(thrown)) }
  const { code, message, hint, evidence } = thrown
  // The hint is the message's last line already, and would be there twice when the error is made anew.
  const said = hint !== undefined && message.endsWith(`\n${hint}`) ? message.slice(0, -hint.length - 1) : message
  return {
    code,
    message: redact(said),
    ...(hint !== undefined && { hint: redact(hint) }),
    evidence: mapTexts(asJson(evidence), redact) as Readonly<Record<string, unknown>>,
  }
}

/** The error that a recorded one was. */
export function errorFrom({ code, message, hint, evidence }: RecordedError): Error {
  if (code === undefined) return new Error(message)
  return new PromptStrataError(code, message, { ...(hint !== undefined && { hint }), ...(evidence && { evidence }) })
}

function asJson(evidence: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(evidence))
  } catch {
    return {}
  }
}
