import { checkType } from "../core/check-options.ts"
import { pipe, type Reader } from "../core/reader.ts"
import { createWellFormedReader } from "./incoming-text.ts"
import { TagScanner } from "./thinking-scanner.ts"

/** A piece of a reply: words for the user, or thinking. The two are never mixed (T24). */
export interface ReplyPart {
  readonly type: "text" | "thinking"
  readonly delta: string
}

/**
 * A thought that was not closed takes all that follows it; the tag of one that was not opened is removed; one that began within
 * a line of the text may have been words about the tags.
 */
export type ThinkingFault = "unclosed" | "unopened" | "within-line"

/**
 * Separates `<think>` and `<thinking>` from the text around them (T22). Joined, the text is the input without thoughts and
 * tags. `orphan` is the effect of a closing tag that closes nothing: `drop-before` turns all text before it into thinking, so
 * all text waits for the end; `remove-tag` removes only the tag, and at most a partial tag is held back. `onFault` is called for
 * each kind of fault once.
 */
export function createThinkingReader(options: {
  readonly opensInThought?: boolean
  readonly orphan: "drop-before" | "remove-tag"
  readonly onFault?: ((fault: ThinkingFault) => void) | undefined
}): Reader<string, ReplyPart> {
  const waits = options.orphan === "drop-before"
  let parts: ReplyPart[] = []
  let waiting: string[] = []
  let orphans = 0
  let wasInLine = false
  const scanner = new TagScanner(
    {
      text: (run) => {
        if (waits) waiting.push(run)
        else append(parts, "text", run)
      },
      thinking: (run) => append(parts, "thinking", run),
      tookFromLine: () => {
        if (!wasInLine) options.onFault?.("within-line")
        wasInLine = true
      },
      again: read,
      orphan: () => {
        if (orphans++ === 0) options.onFault?.("unopened")
        for (const run of waiting) append(parts, "thinking", run)
        waiting = []
      },
    },
    options.opensInThought ?? false,
  )
  function read(chunk: string): void {
    for (let index = 0; index < chunk.length; ) index = scanner.scan(chunk, index, () => false)
  }
  const take = () => {
    const taken = parts
    parts = []
    return taken
  }
  return {
    push(chunk) {
      read(chunk)
      return take()
    },
    end() {
      scanner.end()
      if (scanner.inThought) options.onFault?.("unclosed")
      const text = waiting.join("")
      waiting = []
      if (text !== "") append(parts, "text", text)
      return take()
    },
  }
}

/**
 * Removes thoughts from a text (T22). An unclosed thought goes to the end of the text; a closing tag without an opening one
 * removes all text before it.
 */
export function stripThinking(text: string, options: { readonly opensInThought?: boolean } = {}): string {
  checkType("the text of stripThinking", text, "string")
  const reader = createThinkingReader({ ...options, orphan: "drop-before" })
  return [...reader.push(text), ...reader.end()].map((part) => (part.type === "text" ? part.delta : "")).join("")
}

function append(parts: ReplyPart[], type: ReplyPart["type"], delta: string): void {
  const last = parts.at(-1)
  if (last?.type === type) parts[parts.length - 1] = { type, delta: last.delta + delta }
  else parts.push({ type, delta })
}

/**
 * Reads a streamed final output (T12, T22). It yields text and thinking as separate parts, never half a surrogate pair. Of a
 * closing tag that closes nothing only the tag is removed. White space between a first thought and the first word is dropped.
 */
export function createPlainTextReader(
  options: Pick<Parameters<typeof createThinkingReader>[0], "opensInThought" | "onFault"> = {},
): Reader<string, ReplyPart> {
  const thinking = createThinkingReader({ ...options, orphan: "remove-tag" })
  return pipe(pipe(createWellFormedReader(), thinking), trimAfterThought())
}

function trimAfterThought(): Reader<ReplyPart, ReplyPart> {
  let thoughtSeen = false
  let textSeen = false
  return {
    push(part) {
      if (part.type === "thinking") thoughtSeen = true
      if (part.type === "thinking" || textSeen) return [part]
      const delta = thoughtSeen ? part.delta.trimStart() : part.delta
      textSeen = delta.trim() !== ""
      return delta === "" ? [] : [{ type: "text", delta }]
    },
    end: () => [],
  }
}
