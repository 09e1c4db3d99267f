import { encodeInline } from "../../../encode/inline.ts"
import { createWorkspace, type Workspace } from "../../../forgetting/forgetting-workspace.ts"
import { markedPath } from "../../../forgetting/pulled.ts"
import type { Tool } from "../../../tools/tool.ts"
import { type ContextToolParts, defineContextTool, refusal } from "./context-tool.ts"

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
function openWorkspace({ read, settings }: Pick<ContextToolParts, "read" | "settings">): Workspace {
  return createWorkspace({ ...settings.workspace, settings: settings.workspace.decay, items: read().workspace })
}

/** What is written as a file, or like a path, is one. */
function kindOf(given: string): "file" | "reference" {
  return given.trim().startsWith("%[") || /[./\\]/.test(given) ? "file" : "reference"
}

/** `report_use`: what of the workspace an answer used and may use next, told together with the answer (R16). The rest only ages. */
export function reportUseTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "report_use",
    kinds: { used: "texts", maybe_used: "texts" },
    writes: true,
    withAnswer: true,
    run({ used = [], maybe_used: maybeUsed = [] }) {
      const workspace = openWorkspace(parts)
      const unknown = workspace.report({ used: used.map(markedPath), maybeUsed: maybeUsed.map(markedPath) }, parts.now)
      parts.write({ ...parts.read(), workspace: workspace.items() })
      return { noted: used.length + maybeUsed.length - unknown.length, unknown: unknown.map(encodeInline).join(", ") }
    },
  })
}

/** `discard_pulled`: collects pulled information that is no longer needed, all of it without names (R22). */
export function discardPulledTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "discard_pulled",
    kinds: { ids: "texts" },
    writes: true,
    run({ ids }) {
      const state = parts.read()
      const named = ids === undefined ? undefined : new Set(ids.map(markedPath))
      const gone = state.pulled.filter(({ id }) => named?.has(id) ?? true)
      const unknown = [...(named ?? [])].filter((id) => !gone.some((item) => item.id === id))
      parts.write({ ...state, pulled: state.pulled.filter((item) => !gone.includes(item)) })
      return { discarded: gone.map(({ id }) => encodeInline(id)).join(", "), unknown: unknown.map(encodeInline).join(", ") }
    },
  })
}
