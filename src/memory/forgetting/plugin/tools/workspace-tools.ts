import { encodeInline } from "../../../../prompt/encode/inline.ts"
import type { Tool } from "../../../../prompt/tools/tool.ts"
import type { ForgettingWorkspace } from "../../forgetting-workspace.ts"
import { markedPath } from "../../pulled.ts"
import { workspaceOf } from "../virtual-context-settings.ts"
import { CallRefusal, type ContextToolParts, defineContextTool } from "./context-tool.ts"

const maxIdCharacters = 500

/** `report_use`: the items of the workspace that an answer used or may use next, which every answer must report (R16). Others only age. */
export function reportUseTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "report_use",
    kinds: { used: "texts", maybe_used: "texts" },
    writes: true,
    withAnswer: "required",
    run({ used = [], maybe_used: maybeUsed = [] }) {
      const workspace = openWorkspace(parts)
      const unknown = workspace.report({ used: used.map(markedPath), maybeUsed: maybeUsed.map(markedPath) }, parts.now)
      const { report: _, ...state } = parts.read()
      parts.write({ ...state, workspace: workspace.items() })
      return { noted: used.length + maybeUsed.length - unknown.length, unknown: unknown.map(encodeInline).join(", ") }
    },
  })
}

/** `put_into_workspace`: keeps the name of a file, or a piece of information, at hand (R15). Files are neither read nor changed. */
export function putIntoWorkspaceTool(parts: ContextToolParts): Tool {
  return defineContextTool(parts, {
    name: "put_into_workspace",
    kinds: { id: "text", text: "text", kind: "text" },
    required: ["id"],
    writes: true,
    run({ id: given = "", text, kind: named }) {
      const id = markedPath(given)
      if (id === "" || id.length > maxIdCharacters) throw new CallRefusal({ bad_id: true, limit: maxIdCharacters })
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

/** A file is written as `%[path]` or looks like a path. */
function kindOf(given: string): "file" | "reference" {
  return given.trim().startsWith("%[") || /[./\\]/.test(given) ? "file" : "reference"
}

/** `take_out_of_workspace`: removes items that are no longer needed. The files themselves are never touched (R16). */
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

/** `discard_pulled`: removes pulled information that is no longer needed; all of it when no ids are given (R22). */
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

function openWorkspace({ read, settings }: ContextToolParts): ForgettingWorkspace {
  return workspaceOf(settings.workspace, read().workspace)
}
