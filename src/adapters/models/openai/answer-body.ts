import { PromptStrataError } from "../../../core/errors.ts"
import { listOf, parsedJson, recordOf } from "../../../core/json-access.ts"

/** Holds the longest answer and several pictures. Parts of a call or a line are kept until they are whole. */
const maxBytes = 100_000_000

/** The longest refusal of a server that is read, in bytes. */
const maxRefusalBytes = 1_000_000

/** The text of a refusal, cut where it is longer than any refusal. */
export async function readRefusal(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    text += decoder.decode(chunk, { stream: true })
    // Leaving the loop cancels the rest.
    if (bytes > maxRefusalBytes) break
  }
  return text
}

/**
 * Yields the JSON values of an answer's body as they come: those of server-sent events, of lines of JSON, or of one document.
 * The form is read from the body itself, because servers and proxies send each of them under any content type. Throws
 * `SyntaxError` for an event or a line that is cut or no JSON, and `model` for a body without an end. The text of a body without any JSON goes to `onOtherText`.
 */
export async function* readAnswerBody(
  body: ReadableStream<Uint8Array> | null,
  onOtherText: (text: string) => void,
): AsyncGenerator<unknown> {
  if (body === null) return
  const source = body.getReader()
  const decoder = new TextDecoder()
  const lines = createLineReader(onOtherText)
  let bytes = 0
  try {
    // After the last event some servers leave the connection open.
    while (!lines.isOver()) {
      const next = await source.read()
      if (next.done) break
      bytes += next.value.byteLength
      if (bytes > maxBytes)
        throw new PromptStrataError("model", `expected an answer of at most ${maxBytes} bytes, found no end of it.`, {
          hint: "Does the model repeat itself? Set a limit to its output, such as max_tokens in extraBody.",
          evidence: { isRetryable: false },
        })
      // Loops instead of yield*, which costs three more microtasks per value.
      for (const value of lines.push(decoder.decode(next.value, { stream: true }))) yield value
    }
    for (const value of lines.push(decoder.decode(), true)) yield value
  } finally {
    // This is not awaited, since some sources never finish cancelling.
    void source.cancel().catch(() => undefined)
  }
}

const field = /^(data|event|id|retry)(?::|$) ?/

/** Cuts text into lines and reads each. The text may be cut anywhere. */
function createLineReader(onOtherText: (text: string) => void) {
  const values = createValueReader(onOtherText)
  let rest = ""
  return {
    isOver: values.isOver,
    /** Reads line by line, so that what came before a broken line counts, as it does where that one comes later. */
    *push(text: string, isLast = false): Generator<unknown> {
      rest += isLast ? `${text}\n` : text
      const lines = isLast || /[\r\n]/.test(text) ? rest.split(/\r\n|\n|\r(?!$)/) : [rest]
      rest = lines.pop() ?? ""
      for (const line of lines) yield* values.line(line)
      if (isLast) yield* values.end()
    },
  }
}

/** Reads the lines of a body. */
function createValueReader(onOtherText: (text: string) => void) {
  /** The data lines of the open event that are no JSON by themselves. */
  let data: string[] = []
  let eventName = ""
  /** Lines that belong to no event: those of a document. */
  const others: string[] = []
  let isRead = false
  let isDone = false
  const take = (value: unknown): unknown[] => {
    isRead = true
    return eventName === "error" && recordOf(value).error === undefined ? [{ error: value }] : [value]
  }
  const endEvent = (): unknown[] => {
    if (data.length === 0) return []
    const text = data.join("\n")
    data = []
    // An error may come as plain words.
    return take(eventName === "error" ? (parsedJson(text) ?? text) : JSON.parse(text))
  }
  return {
    /** True after the event that ends a stream. */
    isOver: () => isDone,
    line(line: string): unknown[] {
      if (isDone || line.startsWith(":")) return []
      if (line === "") {
        const ended = endEvent()
        eventName = ""
        return ended
      }
      const [head = "", name] = field.exec(line.startsWith("\ufeff") ? line.slice(1) : line) ?? []
      const text = line.slice(head.length)
      if (name === undefined) {
        const value = text.trimStart().startsWith("{") ? parsedJson(text) : undefined
        if (value !== undefined) return take(value)
        others.push(line)
      } else if (name === "event") eventName = text.trim()
      else if (name === "data" && text.trim() === "[DONE]") isDone = true
      else if (name === "data") {
        const value = data.length === 0 ? parsedJson(text) : undefined
        if (value !== undefined) return take(value)
        if (text !== "" || data.length > 0) data.push(text)
      }
      return []
    },
    *end(): Generator<unknown> {
      yield* endEvent()
      const text = others.join("\n").trim()
      const document = text === "" ? [] : parsedJson(text)
      if (document !== undefined) yield* Array.isArray(document) ? listOf(document) : [document]
      // After other values this is a line that was cut.
      else if (isRead) JSON.parse(text)
      else onOtherText(text)
    },
  }
}
