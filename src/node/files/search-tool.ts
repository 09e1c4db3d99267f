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
            if (found.length < maxMatches) found.push(`${shownPath(shown)}:${match.line}: ${cut(match.text)}`)
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

function cut(line: string): string {
  const text = line.trim()
  return text.length > maxLineCharacters ? `${text.slice(0, maxLineCharacters).toWellFormed()}…` : text
}
