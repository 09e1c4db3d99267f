import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import type { SearchOutcome, WorkspaceEntry } from "../workspace/workspace.ts"
import { fileArguments } from "./file-arguments.ts"
import { type FilePlace, type FileToolParts, isAllowed, shownPath, withFileProblems } from "./file-tool.ts"

const maxEntries = 200

/** The tool `list`: the files and folders of a folder, a line each, at most 200, in the order of their names. */
export function listTool(parts: FileToolParts): Tool {
  const { words, places } = parts
  const { description, usageHint, parameters } = words
  return defineTool({
    name: parts.name,
    group: "development",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    repeatable: true,
    inputSchema: fileArguments({ path: { kind: "text", description: parameters.path, optional: true } }),
    execute: ({ path = "" }, context) =>
      withFileProblems(words, path, async () => {
        const place = path.trim() === "" ? { workspace: places.workspace, path: "" } : places.find(path)
        const { entries, truncated } = await listed(place, context)
        const allowed = await allowedOf(parts, [...entries, ...mountsIn(parts, place)], { place, context })
        const lines = allowed.map(({ path: name, kind, sizeBytes }) =>
          words.say(kind === "folder" ? { folder: shownPath(name) } : { file: shownPath(name), size: sizeBytes }),
        )
        if (lines.length === 0) return words.say({ empty: true, path: shownPath(places.shown(place, place.path)) })
        return [...lines, ...(truncated ? [words.say({ more: true, limit: maxEntries })] : [])].join("\n")
      }),
  })
}

function listed({ workspace, path }: FilePlace, { signal }: ToolContext): ReturnType<FilePlace["workspace"]["list"]> {
  return workspace.list(path, { depth: 1, limit: maxEntries, signal })
}

/** Mounts stand in the root by their whole prefix. */
function mountsIn({ places }: FileToolParts, { mount, path }: FilePlace): Pick<WorkspaceEntry, "path" | "kind" | "sizeBytes">[] {
  if (mount || path !== "") return []
  return places.mounts.map(({ prefix }) => ({ path: prefix, kind: "folder", sizeBytes: 0 }))
}

async function allowedOf(
  parts: FileToolParts,
  entries: readonly Pick<WorkspaceEntry, "path" | "kind" | "sizeBytes">[],
  { place, context }: { readonly place: FilePlace; readonly context: ToolContext },
): Promise<readonly Pick<WorkspaceEntry, "path" | "kind" | "sizeBytes">[]> {
  const allowed: Pick<WorkspaceEntry, "path" | "kind" | "sizeBytes">[] = []
  for (const entry of entries) {
    const path = parts.places.shown(place, entry.path)
    if (await isAllowed(parts, path, { operation: "list", context })) allowed.push({ ...entry, path })
  }
  return allowed
}

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
