import type { Plugin } from "../../services/plugin.ts"
import { workspaceOnDemand } from "../files/workspace-on-demand.ts"
import type { WorkspaceOptions } from "../workspace/workspace.ts"
import { documentsHook } from "./documents-hook.ts"
import type { DocumentsOptions } from "./documents-options.ts"
import { documentSpellings } from "./open-documents.ts"

/** The living documents as a plugin, for a profile: the folder is opened with the first turn and made with the first write. */
export function documentsPlugin(
  folder: string,
  { files = {}, ...options }: DocumentsOptions & { readonly files?: WorkspaceOptions } = {},
): Plugin {
  const workspace = workspaceOnDemand(folder, { names: documentSpellings, ...files })
  return { name: "documents", hooks: [documentsHook(workspace, options).hook] }
}
