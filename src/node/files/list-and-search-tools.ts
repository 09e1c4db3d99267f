import type { Tool } from "../../prompt/tools/tool.ts"
import { defineFileTool } from "./define-file-tool.ts"
import { type FilePlace, type FilePlaces, type FileToolParts, shownPath } from "./file-tool.ts"

const maxEntries = 200

/** The tool `list`: the files and folders in a folder, one per line, at most 200, in the order of their names. */
export function listTool(parts: FileToolParts): Tool {
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
export function searchTool(parts: FileToolParts): Tool {
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
