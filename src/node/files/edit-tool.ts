import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { giveShape, takeShape } from "../workspace/text-shape.ts"
import { findTarget, makeChange } from "./change-file.ts"
import { fileArguments } from "./file-arguments.ts"
import { withFileProblems } from "./file-problem.ts"
import type { FileToolParts } from "./file-tool.ts"
import { shownPath } from "./file-words.ts"
import { findText } from "./find-text.ts"
import { nearestLine } from "./nearest-line.ts"
import type { ShownFile, TextRange } from "./read-ledger.ts"

/**
 * The tool `edit`: replaces an exact text that occurs once, in a file whose place was read in this turn and which has not
 * changed since (D10). Where all lines end in CRLF, LF in the arguments means that; the new text is literal, `$&` too.
 */
export function editTool(parts: FileToolParts): Tool {
  const { words, reads } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    group: "development",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    writes: true,
    // Refused until the file is read, the same call is right afterwards.
    repeatable: true,
    inputSchema: fileArguments({
      path: { kind: "path", description: parameters.path },
      old_text: { kind: "text", description: parameters.old_text },
      new_text: { kind: "text", description: parameters.new_text },
    }),
    execute: ({ path, old_text: before, new_text: after }, context) =>
      withFileProblems(words, path, async () => {
        const target = await findTarget(parts, path, context)
        const { current } = target
        const shown = shownPath(target.path)
        if (current === undefined) throw words.problem({ path: shown, missing: true })
        const file = { path: target.path, hash: current.hash }
        requireRead(parts, { file, shown, range: nowhere }, context)
        const { plain, shape } = takeShape(current.text)
        const asThere = (text: string) => (shape.lineEnd === "mixed" ? text : text.replaceAll("\r\n", "\n"))
        const fresh = asThere(after)
        const range = placeOf(parts, { plain, shown, old: asThere(before), fresh })
        requireRead(parts, { file, shown, range }, context)
        const edited = plain.slice(0, range.start) + fresh + plain.slice(range.end)
        const hash = await makeChange(parts, target, { after: giveShape(edited, shape), context })
        reads.edited(context, { path: target.path, hash }, { range, insertedUnits: fresh.length })
        return words.say({ path: shown, edited: true })
      }),
  })
}

/** The one place of the old text; every other case is an error that helps. */
function placeOf(
  { words }: FileToolParts,
  { plain, shown, old, fresh }: { readonly plain: string; readonly shown: string; readonly old: string; readonly fresh: string },
): TextRange {
  const told = { path: shown }
  if (old === "") throw words.refuse({ ...told, blank: true })
  if (old === fresh) throw words.refuse({ ...told, unchanged: true })
  const place = findText(plain, old)
  if (place.found === "once") return { start: place.at, end: place.at + old.length }
  if (place.found === "several") throw words.refuse({ ...told, several: place.count, lines: place.lines.join(", ") })
  const near = nearestLine(plain, old)
  throw words.refuse({ ...told, none: true, near: near?.line, near_text: near?.text })
}

/** Of this much something was always shown where anything was. */
const nowhere: TextRange = { start: 0, end: 0 }

function requireRead(
  { reads, words }: FileToolParts,
  { file, shown, range }: { readonly file: ShownFile; readonly shown: string; readonly range: TextRange },
  context: ToolContext,
): void {
  const found = reads.shown(context, file, range)
  if (found === "shown" || (found === "partly" && range === nowhere)) return
  throw words.problem({ path: shown, [`${found}_first`]: true })
}
