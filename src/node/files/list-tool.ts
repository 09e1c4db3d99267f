import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import type { WorkspaceEntry } from "../workspace/workspace.ts"
import { fileArguments } from "./file-arguments.ts"
import type { FilePlace } from "./file-places.ts"
import { withFileProblems } from "./file-problem.ts"
import { type FileToolParts, isAllowed } from "./file-tool.ts"
import { shownPath } from "./file-words.ts"

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
