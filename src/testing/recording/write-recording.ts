import { type Exchange, type RecordedEnd, type Recording, recordingVersion } from "./recording.ts"

/** The recording as JSON lines: what is said once, then for each exchange its request, one line per message, its parts and its end. */
export function writeRecording({ model, capabilities, exchanges }: Recording): string {
  const head = { recording: "promptstrata", version: recordingVersion, model, capabilities }
  return [head, ...exchanges.flatMap(exchangeLines)].map((line) => `${jsonLine(line)}\n`).join("")
}

function exchangeLines({ request, parts, end }: Exchange, index: number): readonly unknown[] {
  const { messages, tools = [], ...settings } = request
  return [
    { request: index + 1, ...settings },
    ...tools.map((tool) => ({ tool })),
    ...messages.map((message) => ({ message })),
    ...parts.map((part) => ({ part })),
    endLine(end),
  ]
}

function endLine(end: RecordedEnd): unknown {
  return end.type === "failed" ? { end: end.type, error: end.error } : { end: end.type }
}

/** JSON that no editor breaks into more lines. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
