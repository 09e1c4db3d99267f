import { mkdir } from "node:fs/promises"
import { documentFiles } from "../../layers/documents/document.ts"
import type { Plugin } from "../../services/plugin.ts"
import type { TurnHook } from "../../services/turn-hook.ts"
import type { Tool } from "../../tools/tool.ts"
import { workspaceOnDemand } from "../files/workspace-on-demand.ts"
import { openWorkspace } from "../workspace/open-workspace.ts"
import type { Workspace, WorkspaceOptions } from "../workspace/workspace.ts"
import { type DocumentsOptions, documentsHook } from "./documents-hook.ts"

/** The living documents of an agent: SOUL.md, USER.md and MEMORY.md in a folder. */
export interface LivingDocuments {
  /** Pass it to `createAgent`: it reads the documents before each turn and adds the turn's tools. */
  readonly hook: TurnHook
  /** What the hook adds to a turn with memory on; not to be passed to `createAgent` beside the hook. */
  readonly tools: readonly Tool[]
  /** The folder they lie in: its history can be looked at and undone. */
  readonly workspace: Workspace
}

/** The one spelling of the documents, for the moment in which they are made. */
const documentSpellings: readonly string[] = Object.values(documentFiles)

/**
 * Opens the folder of an agent's living documents, made where it is missing. Nothing is read before the first turn. Throws errors
 * whose code begins with `file` where the folder cannot be used.
 */
export async function openDocuments(
  folder: string,
  { files = {}, ...options }: DocumentsOptions & { readonly files?: WorkspaceOptions } = {},
): Promise<LivingDocuments> {
  await mkdir(folder, { recursive: true })
  const workspace = await openWorkspace(folder, { names: documentSpellings, ...files })
  return { ...documentsHook(workspace, options), workspace }
}

/** The living documents as a plugin, for a profile: the folder is opened with the first turn and made with the first write. */
export function documentsPlugin(
  folder: string,
  { files = {}, ...options }: DocumentsOptions & { readonly files?: WorkspaceOptions } = {},
): Plugin {
  const workspace = workspaceOnDemand(folder, { names: documentSpellings, ...files })
  return { name: "documents", hooks: [documentsHook(workspace, options).hook] }
}
