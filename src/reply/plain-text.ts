import { pipe, type Reader } from "../core/reader.ts"
import { createWellFormedReader } from "./incoming-text.ts"
import { createThinkingReader, type ReplyPart } from "./thinking.ts"

/**
 * Reads a streamed final output (T12, T22): text and thinking as separate parts, never a half surrogate, an orphan
 * closing tag removed alone. White space between an opening thought and the answer's first word is left out.
 */
export function createPlainTextReader(options: { readonly opensInThought?: boolean } = {}): Reader<string, ReplyPart> {
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
