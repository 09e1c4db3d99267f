import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import type { SearchOutcome } from "../workspace/workspace.ts"
import { fileArguments } from "./file-arguments.ts"
import type { FilePlace } from "./file-places.ts"
import { withFileProblems } from "./file-problem.ts"
import { type FileToolParts, isAllowed } from "./file-tool.ts"
import { shownPath } from "./file-words.ts"

const maxMatches = 50
const maxLineCharacters = 200

/** The tool `search`: the lines that hold a text, case aside, as `path:line: text`, at most 50, in the order of the files' names. */
export function searchTool(parts: FileToolParts): Tool {
  const { words, places } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    group: "development",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    repeatable: true,
    inputSchema: fileArguments({
      query: { kind: "path", description: parameters.query },
      path: { kind: "text", description: parameters.path, optional: true },
    }),
    execute: ({ query, path = "" }, context) =>
      withFileProblems(words, path, async () => {
        const asked: readonly FilePlace[] =
          path.trim() === ""
            ? [{ workspace: places.workspace, path: "" }, ...places.mounts.map((mount) => ({ ...mount, path: "", mount }))]
            : [places.find(path)]
        const found: string[] = []
        let more = false
        for (const place of asked) {
          const { matches, truncated } = await searched(place, query, context)
          more ||= truncated
          for (const match of matches) {
            const shown = places.shown(place, match.path)
            if (!(await isAllowed(parts, shown, { operation: "read", context }))) continue
            if (found.length < maxMatches) found.push(`${shownPath(shown)}:${match.line}: ${cut(match.text, query)}`)
            else more = true
          }
        }
        if (found.length === 0) return words.say({ none: true, more })
        return [...found, ...(more ? [words.say({ limit: maxMatches })] : [])].join("\n")
      }),
  })
}

function searched({ workspace, path }: FilePlace, query: string, { signal }: ToolContext): Promise<SearchOutcome> {
  return workspace.search(query, { ...(path === "" ? {} : { path }), ignoreCase: true, limit: maxMatches, signal })
}

/** A long line around the first hit in it. */
function cut(line: string, query: string): string {
  const text = line.trim()
  if (text.length <= maxLineCharacters) return text
  const hit = text.toLowerCase().indexOf(query.toLowerCase())
  const from = Math.max(0, Math.min(hit - maxLineCharacters / 4, text.length - maxLineCharacters))
  const end = from + maxLineCharacters
  return `${from > 0 ? "…" : ""}${text.slice(from, end).toWellFormed()}${end < text.length ? "…" : ""}`
}
