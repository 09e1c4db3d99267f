import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { takeShape } from "../workspace/text-shape.ts"
import { fileArguments } from "./file-arguments.ts"
import { withFileProblems } from "./file-problem.ts"
import { type FileToolParts, requireAllowed } from "./file-tool.ts"
import { type FileWords, shownPath } from "./file-words.ts"
import { countLines, type PageRequest, type TextPage, textPage } from "./text-page.ts"

/** Room for the words before a page. */
const headingCharacters = 2_000

/** However small a budget is. */
const leastPageCharacters = 100

/**
 * The tool `read`: a text file, whole if it fits on a page, else page by page with a first line that says which part it is and
 * how to go on. The text has no line numbers, so what stands there can be given to `edit` as it is.
 */
export function readTool(parts: FileToolParts): Tool {
  const { words, places, reads, pageCharacters } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    group: "development",
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
        const from = { path: shownPath(shown), total: countLines(plain) }
        const request = { line: offset, lines: limit, character }
        const found = fittingPage(plain, request, { words, from, maxCharacters: pageCharacters, context })
        if (found === undefined) throw words.refuse({ ...from, beyond: true, offset })
        reads.show(context, { path: shown, hash: file.hash }, found.page.range)
        return found.answer
      }),
  })
}

interface PageAnswer {
  readonly words: FileWords
  /** What every answer tells of the file. */
  readonly from: { readonly path: string; readonly total: number }
  readonly maxCharacters: number
  readonly context: ToolContext
}

/** A page that no budget cuts: of half as much until it fits, as nobody could know that something is missing in its middle. */
function fittingPage(
  text: string,
  request: Omit<PageRequest, "maxCharacters">,
  { maxCharacters, context, ...told }: PageAnswer,
): { readonly page: TextPage; readonly answer: string } | undefined {
  const page = textPage(text, { ...request, maxCharacters })
  if (page === undefined) return undefined
  const answer = answerOf(text, page, told)
  const fits = maxCharacters < 2 * leastPageCharacters || context.resultFits?.(answer) !== false
  if (fits) return { page, answer }
  return fittingPage(text, request, { ...told, maxCharacters: Math.floor(maxCharacters / 2), context })
}

/** The text alone where it is all there is, else with a line before it that says which part it is. */
function answerOf(text: string, page: TextPage, { words, from }: Pick<PageAnswer, "words" | "from">): string {
  const { range, firstLine, lastLine, totalLines, next } = page
  const part = text.slice(range.start, range.end)
  if (range.start === 0 && next === undefined) return part.trim() === "" ? words.say({ ...from, empty: true }) : part
  const goOn = { next: next?.line, character: next?.character }
  return `${words.say({ ...from, first: firstLine, last: lastLine, total: totalLines, ...goOn })}\n\n${part}`
}
