import type { Plugin } from "../../memory/services/plugin.ts"
import type { TurnHook } from "../../memory/services/turn-hook.ts"
import { defaultDocumentSettings } from "../../prompt/layers/documents/document.ts"
import { renderTemplate } from "../../prompt/template/render-template.ts"
import type { WritableWorkspace } from "../files/file-tool-options.ts"
import { workspaceOnDemand } from "../files/workspace-on-demand.ts"
import { type DocumentsOptions, documentsHook, type FolderOptions, names, sharedTemplate } from "../living-documents.ts"
import { learnedDocuments } from "./learned-documents.ts"
import { personalFolder, personalWorkspace } from "./people.ts"

/**
 * The living documents of a profile as a plugin, where they are its one memory: background work writes them too, and each user, and each
 * group, has a USER.md and a MEMORY.md of their own.
 */
export function learningPlugin(folder: string, { files = {}, ...options }: FolderOptions): Plugin {
  const { locale = "en", prompts = [], counter } = options
  const words = (file: string): string => renderTemplate(sharedTemplate(prompts, locale, file)).trim()
  const documents = learnedDocuments(folder, {
    ...defaultDocumentSettings,
    ...options,
    headings: { user: `## ${words("user-heading.md")}`, memory: `## ${words("memory-heading.md")}` },
    untrusted: words("untrusted-line.md"),
    counter,
    files: { names, ...files },
  })
  const workspace = workspaceOnDemand(folder, { names, ...files })
  return { name: "documents", hooks: [personalDocuments(workspace, options)], documents, close: () => documents.close() }
}

/** The most users and groups whose tools are kept ready. */
const keptPeople = 200

/** The hook of documents of which each user and group has their own. */
function personalDocuments(workspace: WritableWorkspace, options: DocumentsOptions): TurnHook {
  const hooks = new Map<string, TurnHook>()
  const hookOf = (folder: string): TurnHook => {
    const own = personalWorkspace(workspace, folder)
    const hook = hooks.get(folder) ?? documentsHook(own, options, { isForAll: false }).hook
    hooks.delete(folder)
    hooks.set(folder, hook)
    const [oldest] = hooks.keys()
    if (hooks.size > keptPeople && oldest !== undefined) hooks.delete(oldest)
    return hook
  }
  return { name: "documents", beforeTurn: (context) => hookOf(personalFolder(context.key)).beforeTurn?.(context) }
}
