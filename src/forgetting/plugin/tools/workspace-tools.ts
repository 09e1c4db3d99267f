import { encodeInline } from "../../../encode/inline.ts"
import { markedPath } from "../../../forgetting/pulled.ts"
import { createWorkspace, type Workspace } from "../../../forgetting/workspace.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { ContextToolParts } from "../context-tool-parts.ts"
import { defineContextTool, refusal } from "./define-context-tool.ts"

const maxIdCharacters = 500

/** `put_into_workspace`: keeps a file's name, or a piece of information, at hand (R15). The file itself is neither read nor changed. */
export function putIntoWorkspaceTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "put_into_workspace",
    kinds: { id: "text", text: "text", kind: "text" },
    required: ["id"],
    writes: true,
    run({ id: given = "", text, kind: named }) {
      const id = markedPath(given)
      if (id === "" || id.length > maxIdCharacters) throw refusal({ bad_id: true, limit: maxIdCharacters })
      const state = parts.read()
      const pulled = state.pulled.find((item) => item.id === id)
      const known = state.workspace.find((item) => item.id === id)
      const kind = named === "file" || named === "reference" ? named : (known?.kind ?? pulled?.kind ?? kindOf(given))
      const workspace = openWorkspace(parts)
      workspace.put({ id, kind, text: text ?? known?.text ?? pulled?.text ?? "" }, parts.now)
      parts.write({ ...state, workspace: workspace.items(), pulled: state.pulled.filter((item) => item.id !== id) })
      return { put: encodeInline(id) }
    },
  })
}

/** `take_out_of_workspace`: what is no longer needed; the file itself is never touched (R16). */
export function takeOutOfWorkspaceTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "take_out_of_workspace",
    kinds: { ids: "texts" },
    required: ["ids"],
    writes: true,
    run({ ids = [] }) {
      const workspace = openWorkspace(parts)
      const paths = ids.map(markedPath)
      const taken = paths.filter((id) => workspace.remove(id))
      const unknown = paths.filter((id) => !taken.includes(id))
      if (taken.length > 0) parts.write({ ...parts.read(), workspace: workspace.items() })
      return { taken: taken.map(encodeInline).join(", "), unknown: unknown.map(encodeInline).join(", ") }
    },
  })
}

/** The workspace as it stands in this turn. */
export function openWorkspace({ read, settings }: Pick<ContextToolParts, "read" | "settings">): Workspace {
  return createWorkspace({ ...settings.workspace, settings: settings.workspace.decay, items: read().workspace })
}

/** What is written as a file, or like a path, is one. */
function kindOf(given: string): "file" | "reference" {
  return given.trim().startsWith("%[") || /[./\\]/.test(given) ? "file" : "reference"
}
