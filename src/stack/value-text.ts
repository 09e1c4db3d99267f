import type { Trust } from "../core/trust.ts"
import { isText, type Text, type Value } from "../core/value.ts"
import type { Markers } from "../encode/lines.ts"
import { encodeLines } from "../encode/lines.ts"
import { isEncodedText } from "../encode/marked-text.ts"
import { sanitise } from "../encode/sanitise.ts"

/**
 * What a value prints in a stack, text by text; each stands on lines of its own. Flags print nothing; entries print the
 * texts of their slots in order. Text that no author wrote is sanitised and cannot read as one of the markers.
 */
export function printValue(value: Value, trust: Trust, markers: Markers): readonly Text[] {
  if (typeof value === "boolean") return []
  if (typeof value === "string") return printText({ text: value, trust }, markers)
  if (isText(value)) return printText(value, markers)
  return value.flatMap((entry) => Object.values(entry).flatMap((slot) => printValue(slot, trust, markers)))
}

function printText(written: Text, markers: Markers): readonly Text[] {
  const standsAsItIs = written.trust === "author" || isEncodedText(written)
  const text = standsAsItIs ? written.text : encodeLines(sanitise(written.text).text, markers)
  return text.trim() === "" ? [] : [{ ...written, text }]
}
