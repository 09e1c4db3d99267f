import type { Reader } from "../../core/reader.ts"

/** Joins characters whose two halves came in two deltas: what it yields never holds half a surrogate pair. */
export function createWholeCharacters(): Reader<string, string> {
  let held = ""
  return {
    push(delta) {
      const text = held + delta
      const cut = endsInHighSurrogate(text) ? text.length - 1 : text.length
      held = text.slice(cut)
      return cut === 0 ? [] : [text.slice(0, cut).toWellFormed()]
    },
    end() {
      const rest = held.toWellFormed()
      held = ""
      return rest === "" ? [] : [rest]
    },
  }
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}
