import { defineTool } from "../../tools/define-tool.ts"
import type { Tool } from "../../tools/tool.ts"
import { takeShape } from "../workspace/text-shape.ts"
import { fileArguments } from "./file-arguments.ts"
import { withFileProblems } from "./file-problem.ts"
import { type FileToolParts, requireAllowed } from "./file-tool.ts"
import { shownPath } from "./file-words.ts"
import { countLines, textPage } from "./text-page.ts"

/** Room for the words before a page. */
const headingCharacters = 2_000

/**
 * The tool `read`: a text file, whole if it fits on a page, else page by page with a first line that says which part it is and
 * how to go on. The text has no line numbers, so what stands there can be given to `edit` as it is.
 */
export function readTool(parts: FileToolParts): Tool {
  const { words, places, reads, pageCharacters } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    repeatable: true,
    maxResultCharacters: pageCharacters + headingCharacters,
    inputSchema: fileArguments({
      path: { kind: "path", description: parameters.path },
      offset: { kind: "count", description: parameters.offset, optional: true },
      limit: { kind: "count", description: parameters.limit, optional: true },
      character: { kind: "count", description: parameters.character, optional: true },
    }),
    execute: ({ path, offset = 1, limit, character = 1 }, context) =>
      withFileProblems(words, path, async () => {
        const place = places.find(path)
        // Before anything is read: what the model may not see is not looked at. A link may then lead somewhere else.
        await requireAllowed(parts, places.shown(place, place.path), { operation: "read", context })
        const file = await place.workspace.read(place.path, { signal: context.signal })
        const shown = places.shown(place, file.path)
        await requireAllowed(parts, shown, { operation: "read", context })
        const { plain } = takeShape(file.text)
        const page = textPage(plain, { line: offset, lines: limit, character, maxCharacters: pageCharacters })
        const from = { path: shownPath(shown), total: countLines(plain) }
        if (page === undefined) throw words.refuse({ ...from, beyond: true, offset })
        reads.show(context, { path: shown, hash: file.hash }, page.range)
        const text = plain.slice(page.range.start, page.range.end)
        if (page.range.start === 0 && page.next === undefined)
          return text.trim() === "" ? words.say({ ...from, empty: true }) : text
        const { firstLine, lastLine, totalLines, next } = page
        const goOn = { next: next?.line, character: next?.character }
        return `${words.say({ ...from, first: firstLine, last: lastLine, total: totalLines, ...goOn })}\n\n${text}`
      }),
  })
}
