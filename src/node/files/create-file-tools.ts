import { checkOptions } from "../../core/check-options.ts"
import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import { pictureTypes } from "../../core/model/language-model.ts"
import { readBase64 } from "../../memory/services/attachments/read-attachments.ts"
import type { Tool, ToolContext } from "../../prompt/tools/tool.ts"
import { lastLineWithin, lineStarts } from "../line-starts.ts"
import { takeShape } from "../workspace/text-encoding.ts"
import { mediaTypeOf } from "./create-file-references.ts"
import { defineFileTool } from "./define-file-tool.ts"
import { editTool } from "./edit-tool.ts"
import {
  type FilePlace,
  type FilePlaces,
  type FileToolParts,
  type FileWords,
  filePlaces,
  fileWords,
  requireAllowed,
  shownPath,
} from "./file-tool.ts"
import { type FileToolName, type FileToolsOptions, fileToolNames, type WritableWorkspace } from "./file-tool-options.ts"
import { createReadLedger, type ReadLedger, type TextRange } from "./read-ledger.ts"
import { writeTool } from "./write-tool.ts"

/** Room for the words before a page. */
const headingCharacters = 2_000

/** A larger picture is refused: providers refuse it, too. */
const maxPictureBytes = 10 * 1024 * 1024

/** A page is not made smaller than this, however small a budget is. */
const minPageCharacters = 100

/**
 * The tool `read`: a text file, whole if it fits on a page, else page by page. The first line of a page says which part it is and
 * how to go on. The text has no line numbers, so that a part of it can be given to `edit` unchanged. A picture is given to a model that
 * sees it (N17).
 */
function readTool(parts: FileToolParts): Tool {
  const { words, places, reads, pageCharacters } = parts
  return defineFileTool(parts, {
    maxResultCharacters: pageCharacters + headingCharacters,
    parameters: { path: "path", offset: "count?", limit: "count?", character: "count?" },
    async run({ path, offset = 1, limit, character = 1 }, context) {
      const place = places.find(path)
      // Checked before reading, as a hidden file must not be touched, and again after: a link may lead to another file.
      await requireAllowed(parts, places.shown(place, place.path), { operation: "read", context })
      const type = mediaTypeOf(place.path)
      if (pictureTypes.has(type) && context.takes?.(type) && place.workspace.readBytes) return lookAt(parts, place, context)
      const file = await place.workspace.read(place.path, { signal: context.signal })
      const shown = places.shown(place, file.path)
      await requireAllowed(parts, shown, { operation: "read", context })
      const { plain } = takeShape(file.text)
      const from = { path: shownPath(shown), total: lineStarts(plain).length }
      const request = { line: offset, lines: limit, character, maxCharacters: pageCharacters }
      const found = fittingPage(plain, request, { words, from, context })
      if (found === undefined) throw words.refuse({ ...from, beyond: true, offset })
      reads.show(context, { path: shown, hash: file.hash }, found.page.range)
      return found.answer
    },
  })
}

/** Gives a picture to a model that sees its kind, with the result. Throws for one that is not what its name says. */
async function lookAt(parts: FileToolParts, place: FilePlace, context: ToolContext): Promise<string> {
  const { words, places, name } = parts
  const file = await place.workspace.readBytes?.(place.path, { maxBytes: maxPictureBytes, signal: context.signal })
  const shown = places.shown(place, file?.path ?? place.path)
  await requireAllowed(parts, shown, { operation: "read", context })
  const mediaType = mediaTypeOf(shown)
  const base64 = Buffer.from(file?.bytes ?? []).toString("base64")
  await readBase64(base64, mediaType, shown)
  const attachment = { mediaType, bytes: file?.sizeBytes ?? 0, base64 }
  context.record?.({ kind: "attachment", tool: name, summary: `${shown}: ${mediaType}, ${attachment.bytes} bytes`, attachment })
  return words.say({ path: shownPath(shown), picture: true })
}

interface PageAnswer {
  readonly words: FileWords
  /** Facts about the file for every answer. */
  readonly from: { readonly path: string; readonly total: number }
  readonly context: ToolContext
}

/**
 * A page that no budget cuts. It is halved until it fits: if it were cut, nobody would know that its middle is missing.
 * `undefined` beyond the end of the text.
 */
function fittingPage(text: string, request: PageRequest, parts: PageAnswer): { page: TextPage; answer: string } | undefined {
  const page = textPage(text, request)
  if (page === undefined) return undefined
  const answer = answerOf(text, page, parts)
  const { maxCharacters } = request
  const fits = maxCharacters < 2 * minPageCharacters || parts.context.resultFits?.(answer) !== false
  return fits ? { page, answer } : fittingPage(text, { ...request, maxCharacters: Math.floor(maxCharacters / 2) }, parts)
}

/** The whole text alone, or a part with a line before it that says which part it is. */
function answerOf(text: string, page: TextPage, { words, from }: PageAnswer): string {
  const { range, firstLine, lastLine, next } = page
  const part = text.slice(range.start, range.end)
  if (range.start === 0 && next === undefined) return part.trim() === "" ? words.say({ ...from, empty: true }) : part
  const heading = { first: firstLine, last: lastLine, next: next?.line, character: next?.character }
  return `${words.say({ ...from, ...heading })}\n\n${part}`
}

/** The beginning and the size of a page. Lines and characters count from 1. */
interface PageRequest {
  readonly line: number
  readonly lines?: number | undefined
  /** The first character within the line, for a line that is too long for a page. */
  readonly character: number
  readonly maxCharacters: number
}

interface TextPage {
  readonly range: TextRange
  readonly firstLine: number
  readonly lastLine: number
  readonly totalLines: number
  /** The beginning of the next page; absent at the end of the text. `character` is present only within a line. */
  readonly next?: { readonly line: number; readonly character?: number }
}

/**
 * A page of a text from a given place: as many whole lines as fit, or the part of a single line that fits. `undefined` beyond the
 * end of the text.
 */
export function textPage(text: string, { line, lines, character, maxCharacters }: PageRequest): TextPage | undefined {
  const starts = lineStarts(text)
  const totalLines = starts.length
  const lineStart = starts[line - 1]
  if (lineStart === undefined) return undefined
  const lineEnd = starts[line] ?? text.length
  const start = lineStart + character - 1
  if (start > lineEnd || (start === lineEnd && lineEnd > lineStart)) return undefined
  const until = (lastLine: number): TextPage => {
    const range = { start, end: starts[lastLine] ?? text.length }
    const next = lastLine < totalLines ? { next: { line: lastLine + 1 } } : {}
    return { range, firstLine: line, lastLine, totalLines, ...next }
  }
  const wanted = until(lines === undefined ? totalLines : Math.min(totalLines, line + lines - 1))
  if (wanted.range.end - start <= maxCharacters) return wanted
  const full = lastLineWithin(starts, start + maxCharacters)
  if (full >= line) return until(full)
  const cut = graphemeBoundaryBefore(text, start + maxCharacters)
  const end = cut > start ? cut : Math.min(lineEnd, start + maxCharacters)
  return { range: { start, end }, firstLine: line, lastLine: line, totalLines, next: { line, character: end - lineStart + 1 } }
}

const maxEntries = 200

/** The tool `list`: the files and folders in a folder, one per line, at most 200, in the order of their names. */
function listTool(parts: FileToolParts): Tool {
  const { words, places, allow } = parts
  return defineFileTool(parts, {
    parameters: { path: "text?" },
    async run({ path = "" }, context) {
      const place = path.trim() === "" ? rootPlace(places) : places.find(path)
      const options = { depth: 1, limit: maxEntries, signal: context.signal }
      const { entries, truncated } = await place.workspace.list(place.path, options)
      const lines: string[] = []
      for (const { path: inPlace, kind, sizeBytes } of [...entries, ...mountsIn(parts, place)]) {
        const name = places.shown(place, inPlace)
        if (!(await allow(name, "list", context))) continue
        lines.push(words.say(kind === "folder" ? { folder: shownPath(name) } : { file: shownPath(name), size: sizeBytes }))
      }
      if (lines.length === 0) return words.say({ empty: true, path: shownPath(places.shown(place, place.path)) })
      return [...lines, ...(truncated ? [words.say({ more: true, limit: maxEntries })] : [])].join("\n")
    },
  })
}

/** Mounts are listed in the root, by their whole prefix. */
function mountsIn({ places }: FileToolParts, { mount, path }: FilePlace) {
  if (mount || path !== "") return []
  return places.mounts.map(({ prefix }) => ({ path: prefix, kind: "folder", sizeBytes: 0 }))
}

function rootPlace({ workspace }: FilePlaces): FilePlace {
  return { workspace, path: "" }
}

const maxMatches = 50
const maxLineCharacters = 200

/** The tool `search`: the lines that hold a text in any case, as `path:line: text`, at most 50, ordered by the files' names. */
function searchTool(parts: FileToolParts): Tool {
  const { words, places, allow } = parts
  return defineFileTool(parts, {
    parameters: { query: "path", path: "text?" },
    async run({ query, path = "" }, context) {
      const everywhere = [rootPlace(places), ...places.mounts.map((mount) => ({ ...mount, path: "", mount }))]
      const found: string[] = []
      let more = false
      for (const place of path.trim() === "" ? everywhere : [places.find(path)]) {
        const within = place.path === "" ? {} : { path: place.path }
        const options = { ...within, ignoreCase: true, limit: maxMatches, signal: context.signal }
        const { matches, truncated } = await place.workspace.search(query, options)
        more ||= truncated
        for (const match of matches) {
          const shown = places.shown(place, match.path)
          if (!(await allow(shown, "read", context))) continue
          if (found.length < maxMatches) found.push(`${shownPath(shown)}:${match.line}: ${cut(match.text, query)}`)
          else more = true
        }
      }
      if (found.length === 0) return words.say({ none: true, more })
      return [...found, ...(more ? [words.say({ limit: maxMatches })] : [])].join("\n")
    },
  })
}

/** A long line is cut around its first hit. */
function cut(line: string, query: string): string {
  const text = line.trim()
  if (text.length <= maxLineCharacters) return text
  const hit = text.toLowerCase().indexOf(query.toLowerCase())
  const from = Math.max(0, Math.min(hit - maxLineCharacters / 4, text.length - maxLineCharacters))
  const end = from + maxLineCharacters
  return `${from > 0 ? "…" : ""}${text.slice(from, end).toWellFormed()}${end < text.length ? "…" : ""}`
}

const makers: Readonly<Record<FileToolName, (parts: FileToolParts) => Tool>> = {
  read: readTool,
  write: writeTool,
  edit: editTool,
  list: listTool,
  search: searchTool,
}

/**
 * Makes the tools `read`, `write`, `edit`, `list` and `search` over a workspace, for any profile. A file is overwritten only if
 * the model has been shown its present content in the same turn (D10). Every change is noted in the turn's trace. Failures are
 * reported in words that help the model to go on.
 */
export function createFileTools(workspace: WritableWorkspace, options: FileToolsOptions = {}): readonly Tool[] {
  checkOptions("createFileTools", options, "locale prompts tools names mounts allow confirmRule pageCharacters")
  return createFileToolsWith(workspace, options, createReadLedger())
}

/** Makes the tools of {@link createFileTools} with a given record of what the model has been shown. */
export function createFileToolsWith(workspace: WritableWorkspace, options: FileToolsOptions, reads: ReadLedger): readonly Tool[] {
  const { locale = "en", prompts, names = {}, mounts, allow = () => true, confirmRule = () => "free" } = options
  const { tools = fileToolNames, pageCharacters = 10_000 } = options
  const places = filePlaces(workspace, mounts)
  return tools.map((tool) => {
    const words = fileWords(tool, locale, prompts)
    return makers[tool]({ name: names[tool] ?? tool, words, places, reads, pageCharacters, allow, confirmRule })
  })
}
